// Chromium, and pages in it that fail their test when anything on them goes wrong.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { leaveBefore } from "../../lib/gateway.mjs";
import { until } from "../../lib/until.mjs";
import { listen } from "./frames.mjs";

const artefacts = fileURLToPath(new URL("../../../test-results/", import.meta.url));

// Its shell has the same engine and none of the windows, and opens a page in half the time.
const shell = "/usr/bin/chromium-headless-shell";
const executablePath = process.env.CHROMIUM ?? (existsSync(shell) ? shell : "/usr/bin/chromium");

const flags = [
  "--no-sandbox", // a container's root has none to give
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let running;
let failed = 0;

// One browser serves a test file; what must not be shared is in its contexts.
function browser() {
  running ??= chromium.launch({
    executablePath,
    args: flags,
    handleSIGTERM: false, // with a handler a test file that is ended from outside would go on
  });
  return running;
}
after(async () => (await running)?.close());

/**
 * Makes a page with a new profile, or in the context of another page as that one's second tab. It is still empty.
 *
 * Returns playwright's Page with
 *   problems        what went wrong so far: console errors and warnings, exceptions, failed requests, answers of 400 and more
 *   allow(pattern)  such problems are meant to happen here; each pattern has to
 *   streams         the event streams that the page received: {url, body, text}, see frames.mjs
 *   shot(name)      writes test-results/<name>.png
 * prepare(page) runs before the page is loaded; the other options are those of playwright's newContext, such as viewport and
 * colorScheme. The caller closes the page, and has judge look at it after each test.
 */
export async function createPage({ context, prepare, ...options } = {}) {
  context ??= await (await browser()).newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.setDefaultNavigationTimeout(60_000); // a development server may have to build first

  const problems = watch(page);
  const allowed = [];
  const streams = await listen(page);
  const shot = async (title) => {
    const path = artefact(title, "png");
    await page.screenshot({ path });
    return path;
  };
  Object.assign(page, { problems, allowed, streams, shot, allow: (pattern) => allowed.push(pattern) });
  await prepare?.(page);
  return page;
}

function artefact(title, kind) {
  mkdirSync(artefacts, { recursive: true });
  return `${artefacts}${title.replaceAll(/\W+/g, "-")}.${kind}`;
}

/**
 * Fails if a page has a problem that was not allowed, or lacks one that was. If the test has failed, or fails by that,
 * test-results/ keeps a screenshot and the streams. close is called before the verdict.
 */
export async function judge(t, page, close = () => {}) {
  const { problems, allowed, streams } = page;
  const happened = (pattern) => problems.some((problem) => pattern.test(problem));
  // Chromium reports an exception after the call that caused it. What did not happen within a minute fails below.
  if (t.passed) for (const pattern of allowed) await until(`${pattern} happened`, () => happened(pattern)).catch(() => {});
  const unexpected = problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
  if (!t.passed || unexpected.length > 0) {
    const name = `failed ${t.name} ${++failed}`;
    await page.shot(name).catch(() => {}); // it may be the page that crashed
    writeFileSync(artefact(name, "json"), JSON.stringify({ problems, streams }, undefined, 1));
  }
  await close();
  assert.deepEqual(unexpected, [], "the page has problems");
  for (const pattern of allowed) assert.ok(happened(pattern), `${pattern} did not happen`);
}

/** Makes a page with createPage, opens it at a URL, and judges and closes it after the test. */
export async function openPage(t, url, options = {}) {
  const page = await createPage(options);
  let left;
  const leave = () => (left ??= judge(t, page, () => (options.context ? page.close() : page.context().close())));
  leaveBefore(url, leave);
  t.after(leave);
  await page.goto(url);
  return page;
}

function watch(page) {
  const problems = [];
  page.on("console", (message) => {
    if (/^(error|warning)$/.test(message.type())) problems.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.stack ?? error}`));
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText;
    // A page may stop reading: CopilotKit does when it reconnects, every page does when it is left.
    if (why !== "net::ERR_ABORTED") problems.push(`request: ${request.method()} ${request.url()} ${why}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`answer: ${response.status()} ${response.request().method()} ${response.url()}`);
  });
  return problems;
}
