// One list of the conversations with all agents on the gateway's own page: what needs an answer is first, the rest can be searched.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { say } from "./lib/chat.mjs";
import { camera, ofColours } from "./lib/looks.mjs";
import { hide, openPlanner, option, pick, question, row, show, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const team = `
version: 1
agents:
  quick: { type: script, description: Has one word, steps: [ { say: "Yes." } ] }
  tailor:
    type: script
    description: Asks for a size
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M, L ] }
      - say: "Size \${answers.size}."
`;
const gateway = await startGateway({ team });

const waiting = (page) => page.getByTestId("threads-waiting").getByTestId("thread");
const others = (page) => page.getByTestId("threads-others").getByTestId("thread");
const ids = (rows) => rows.evaluateAll((elements) => elements.map(({ dataset }) => dataset.thread));
const search = (page) => page.getByTestId("thread-search");
const titled = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(document.title), pattern.source);
const focused = (page) => page.waitForFunction(() => document.activeElement.closest('[data-testid="questions"]') !== null);

/** A page at a thread of an agent that nobody has begun yet. */
async function opened(t, { url }, agent, options) {
  const page = await openPlanner(t, url, { place: `#/t/${agent}/${randomUUID()}`, ...options });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  return page;
}

test("a question of any agent is first, however old it is, and one click leads to it", async (t) => {
  const coat = await begun(gateway, "tailor", "A coat, please");
  for (let i = 0; i < 40; i++) await begun(gateway, "quick", `Thread ${i}`);
  const page = await opened(t, gateway, "quick");
  await waiting(page).first().waitFor();
  assert.deepEqual(await ids(waiting(page)), [coat]);
  await others(page).nth(29).waitFor();
  assert.equal(await others(page).count(), 30, "a page of the others");
  assert.equal(await row(page, coat).locator(".thread-agent").textContent(), "tailor");
  await titled(page, /^\(1\) /);

  await row(page, coat).getByRole("button").first().click();
  await question(page, "Which size?").waitFor();
  await focused(page);
  await page.getByTestId("chat").focus();
  await row(page, coat).getByRole("button").first().click();
  await focused(page); // the row of the conversation that is open leads to its question too

  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  await page.getByTestId("waiting").click();
  await question(page, "Which size?").waitFor();
  await pick(page, "M");
  await unasked(page);
  await page.getByTestId("threads-waiting").waitFor({ state: "detached" });
  await row(page, coat).and(page.locator('[data-status="idle"]')).waitFor();
  assert.equal(await page.getByTestId("waiting").count(), 0);
  await titled(page, /^[^(]/);
});

test("what was asked or answered elsewhere is seen by who comes back to the page", async (t) => {
  const own = await startGateway({ team });
  const page = await opened(t, own, "quick");
  await hide(page);
  const hat = await begun(own, "tailor", "A hat, please");
  await show(page);
  await waiting(page).first().waitFor();
  await hide(page);
  await fetch(`${own.url}/threads/${hat}/stop`, { method: "POST" });
  const { interrupts } = await (await fetch(`${own.url}/threads/${hat}`)).json();
  await fetch(`${own.url}/threads/${hat}/resume`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ resume: [{ interruptId: interrupts[0].id, status: "cancelled" }] }),
  }).then((response) => response.text());
  await show(page);
  await page.getByTestId("threads-waiting").waitFor({ state: "detached" });
});

test("a page that is looked at asks for the list now and then, and one that is not does not", async (t) => {
  const own = await startGateway({ team });
  let asked = 0;
  const page = await opened(t, own, "quick", {
    async prepare(page) {
      await page.clock.install();
      page.on("request", (request) => (asked += new URL(request.url()).pathname === "/threads"));
    },
  });
  const rounds = async () => {
    const before = asked;
    for (let i = 0; i < 10; i++) await page.clock.runFor(30_000);
    return asked - before;
  };
  const seen = await rounds();
  assert.ok(seen >= 2 && seen <= 22, `${seen} requests in five minutes on a new conversation`);
  await begun(own, "tailor", "A hat, please");
  await page.clock.runFor(31_000);
  await page.clock.runFor(1000);
  await waiting(page).first().waitFor();
  await hide(page);
  assert.equal(await rounds(), 0);
});

test("a search finds conversations that are not in the list yet, by title and by agent, and the list can be that of one agent", async (t) => {
  const own = await startGateway({ team });
  const old = await begun(own, "quick", "A week in Paris");
  const socks = await begun(own, "tailor", "Socks from Paris");
  for (let i = 0; i < 35; i++) await begun(own, "quick", `Thread ${i}`);
  const page = await opened(t, own, "quick");
  await others(page).nth(29).waitFor();
  assert.equal(await row(page, old).count(), 0);

  await search(page).fill("PARIS");
  await row(page, old).waitFor();
  await page.getByRole("status").filter({ hasText: "2 found" }).waitFor();
  assert.deepEqual([await ids(waiting(page)), await ids(others(page))], [[socks], [old]]);
  await search(page).fill("paris tailor");
  await row(page, old).waitFor({ state: "detached" });
  assert.deepEqual(await ids(waiting(page)), [socks]);
  await search(page).fill("nowhere");
  await page.getByText("Nothing found.").waitFor();
  assert.equal(await page.getByTestId("waiting").locator(".count").textContent(), "1", "what is looked for does not change what needs an answer");
  await search(page).press("Escape");
  await others(page).nth(29).waitFor();
  assert.equal(await search(page).inputValue(), "");

  await page.getByTestId("thread-agent").selectOption("tailor");
  await page.getByTestId("threads-others").waitFor({ state: "detached" });
  assert.deepEqual(await ids(waiting(page)), [socks]);
  await page.getByTestId("thread-agent").selectOption("");
  await page.getByTestId("threads-older").click();
  await row(page, old).waitFor();
});

test("by keyboard alone: search, open the conversation, and its question has the focus", async (t) => {
  const coat = await begun(gateway, "tailor", "A red coat, please");
  const page = await opened(t, gateway, "quick");
  await row(page, coat).waitFor();
  await page.getByTestId("new-thread").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.type("red coat");
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="thread"]').length === 1);
  await page.keyboard.press("Tab"); // the choice of an agent
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await question(page, "Which size?").waitFor();
  await focused(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await unasked(page);
});

for (const look of ["light", "dark", "light phone", "dark phone"]) {
  test(`${look}: the list with questions, and a search`, async (t) => {
    const own = await startGateway({ team });
    await begun(own, "tailor", "A coat, please");
    await begun(own, "quick", "A conversation whose title is much too long for the list");
    await begun(own, "tailor", "A hat, please");
    const phone = look.endsWith("phone");
    const colorScheme = look.split(" ")[0];
    const page = await opened(t, own, "quick", { colorScheme, reducedMotion: "reduce", ...(phone && { viewport: { width: 360, height: 740 }, hasTouch: true }) });
    const { stage, done } = camera(page, `${look} inbox`, colorScheme === "dark" ? ofColours : {});
    await say(page, "Hello");
    await page.getByText("Yes.").waitFor();
    await waiting(page).nth(1).waitFor({ state: "attached" });
    await stage("1 page");
    if (phone) {
      assert.equal(await page.getByTestId("threads-toggle").getAttribute("aria-label"), "Conversations, 2 need your answer");
      await page.getByTestId("threads-toggle").click();
      await waiting(page).nth(1).waitFor();
      await stage("2 drawer");
    }
    await search(page).fill("hat");
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="thread"]').length === 1);
    await stage("3 search");
    if (phone) {
      await row(page, (await ids(waiting(page)))[0]).getByRole("button").first().click();
      await option(page, "M").waitFor();
      await stage("4 question");
    }
    done();
  });
}
