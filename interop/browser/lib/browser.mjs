// Chromium, and pages in it that fail their test when anything on them goes wrong.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { listen } from "./frames.mjs";

const artefacts = fileURLToPath(new URL("../../../test-results/", import.meta.url));

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

// One browser serves a test file; what must not be shared is in its contexts.
function browser() {
  running ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  return running;
}
after(async () => (await running)?.close());

/**
 * Opens a page on a profile of its own, or in the context of another page as that one's second tab.
 *
 * Returns playwright's Page with
 *   problems        what went wrong so far: console errors and warnings, exceptions, failed requests, answers of 400 and more
 *   allow(pattern)  such problems are meant to happen here; each pattern has to
 *   streams         what the page was sent: {url, body, text}, see frames.mjs
 *   shot(name)      writes test-results/<name>.png
 * The test fails if its page has a problem that was not allowed; the page is then kept as a screenshot. Options are those
 * of playwright's newContext, such as viewport and colorScheme.
 */
export async function openPage(t, url, { context, ...options } = {}) {
  const own = context === undefined;
  context ??= await (await browser()).newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);

  const problems = watch(page);
  const allowed = [];
  const streams = await listen(page);
  const shot = async (name) => {
    mkdirSync(artefacts, { recursive: true });
    const path = `${artefacts}${name.replaceAll(/\W+/g, "-")}.png`;
    await page.screenshot({ path });
    return path;
  };
  Object.assign(page, { problems, streams, shot, allow: (pattern) => allowed.push(pattern) });

  t.after(async () => {
    if (!t.passed) await shot(`failed ${t.name}`).catch(() => {}); // the page may be what crashed
    if (own) await context.close();
    else await page.close();
    assert.deepEqual(problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem))), [], "the page has problems");
    for (const pattern of allowed) assert.ok(problems.some((problem) => pattern.test(problem)), `${pattern} did not happen`);
  });
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
