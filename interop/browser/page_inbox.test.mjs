// One list of the conversations with all agents on the gateway's own page: what needs an answer is first, the rest can be searched.
// Each test has another principal, and so other conversations.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { answer, begun } from "./lib/begun.mjs";
import { say } from "./lib/chat.mjs";
import { camera, eachLook } from "./lib/looks.mjs";
import { hide, openPlanner, option, pick, question, row, show, threadOf, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";
import { until } from "../lib/until.mjs";

const { url } = await startGateway({
  args: ["-auth", "header", "-auth-header", "X-Forwarded-User", "-auth-proxies", "127.0.0.1", "-rate", "0"],
  team: `
version: 1
agents:
  quick: { type: script, description: Has one word, steps: [ { say: "Yes." } ] }
  other: { type: script, description: Has one word too, steps: [ { say: "No." } ] }
  tailor:
    type: script
    description: Asks for a size
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M, L ] }
      - say: "Size \${answers.size}."
`,
});

const waiting = (page) => page.getByTestId("threads-waiting").getByTestId("thread");
const rows = (page) => page.getByTestId("thread");
const others = (page) => page.getByTestId("threads-others").getByTestId("thread");
const ids = (rows) => rows.evaluateAll((elements) => elements.map(({ dataset }) => dataset.thread));
const search = (page) => page.getByTestId("thread-search");
const titled = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(document.title), pattern.source);
const focused = (page) => page.waitForFunction(() => document.activeElement.closest('[data-testid="questions"]') !== null);

/** The gateway as somebody new asks it. */
const newcomer = () => ({ url, headers: { "X-Forwarded-User": randomUUID() } });

/** The page of the gateway as somebody asks it, at a thread of an agent that nobody has begun yet. */
async function opened(t, { headers }, agent, options) {
  const page = await openPlanner(t, url, { place: `#/t/${agent}/${randomUUID()}`, reducedMotion: "reduce", extraHTTPHeaders: headers, ...options });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  return page;
}

test("a question of any agent is first, however old it is, and one click leads to it", async (t) => {
  const own = newcomer();
  const coat = await begun(own, "tailor", "A coat, please");
  for (let i = 0; i < 40; i++) await begun(own, "quick", `Thread ${i}`);
  const page = await opened(t, own, "quick");
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
  const own = newcomer();
  const page = await opened(t, own, "quick");
  await hide(page);
  const hat = await begun(own, "tailor", "A hat, please");
  await show(page);
  await waiting(page).first().waitFor();
  await hide(page);
  await answer(own, "tailor", hat, undefined);
  await show(page);
  await page.getByTestId("threads-waiting").waitFor({ state: "detached" });
});

test("a page that is looked at asks for the list now and then, and one that is not does not", async (t) => {
  const own = newcomer();
  let asked = 0;
  let answered = 0;
  const isList = (request) => new URL(request.url()).pathname === "/threads";
  const page = await opened(t, own, "quick", {
    async prepare(page) {
      await page.clock.install();
      page.on("request", (request) => (asked += isList(request)));
      for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => (answered += isList(request)));
    },
  });
  // The page's clock advances when the page has its answers.
  const rounds = async () => {
    const before = asked;
    for (let i = 0; i < 10; i++) {
      await until("the list", () => answered === asked);
      await page.clock.runFor(30_000);
    }
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
  const own = newcomer();
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
  const own = newcomer();
  await begun(own, "tailor", "A blue coat, please");
  const coat = await begun(own, "tailor", "A red coat, please");
  const page = await opened(t, own, "quick");
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

test("a run that is over at once is in the list", async (t) => {
  const page = await opened(t, newcomer(), "quick");
  for (let i = 0; i < 4; i++) {
    await page.getByTestId("new-thread").click();
    await page.getByTestId("welcome").waitFor();
    const id = await threadOf(page);
    await say(page, `Is it number ${i}?`);
    await row(page, id).and(page.locator('[data-status="idle"]')).filter({ hasText: `Is it number ${i}?` }).waitFor();
  }
});

test("older threads stay in the list when one of them is opened, and go when they are deleted", async (t) => {
  const own = newcomer();
  await begun(own, "quick", "Another agent's");
  const ids = [];
  for (let i = 0; i < 70; i++) ids.unshift(await begun(own, "other", `Thread ${i}`));
  const page = await opened(t, own, "other");
  await page.getByTestId("thread-agent").selectOption("other");
  await row(page, ids[29]).waitFor();
  await rows(page).nth(30).waitFor({ state: "detached" }); // those of the other agent
  assert.equal(await rows(page).count(), 30);
  const older = page.getByRole("button", { name: "Show older" });
  for (const count of [60, 70]) {
    await older.click();
    await rows(page).nth(count - 1).waitFor();
  }
  await older.waitFor({ state: "detached" });

  const old = ids[65];
  // One that the page gives up for a newer one never finishes.
  const listed = page.waitForEvent("requestfinished", (request) => /\/threads\?agent=other/.test(request.url()));
  await row(page, old).getByRole("button").first().click();
  await row(page, old).and(page.locator("[data-here]")).waitFor();
  await listed;
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.equal(await rows(page).count(), 70);

  await row(page, ids[50]).hover();
  await row(page, ids[50]).getByTestId("thread-delete").click();
  await page.getByTestId("thread-delete-yes").click();
  await row(page, ids[50]).waitFor({ state: "detached" });
  assert.equal(await rows(page).count(), 69);
});

eachLook("the list with questions, and a search", async (t, look) => {
  const own = newcomer();
  await begun(own, "tailor", "A coat, please");
  await begun(own, "quick", "A conversation whose title is much too long for the list");
  await begun(own, "tailor", "A hat, please");
  const page = await opened(t, own, "quick", look.options);
  const { stage, done } = camera(page, look, "inbox");
  await say(page, "Hello");
  await page.getByText("Yes.").waitFor();
  await waiting(page).nth(1).waitFor({ state: "attached" });
  await stage("1 page");
  if (look.phone) {
    assert.equal(await page.getByTestId("threads-toggle").getAttribute("aria-label"), "Conversations, 2 need your answer");
    await page.getByTestId("threads-toggle").click();
    await waiting(page).nth(1).waitFor();
    await stage("2 drawer");
  }
  await search(page).fill("hat");
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="thread"]').length === 1);
  await stage("3 search");
  if (look.phone) {
    await row(page, (await ids(waiting(page)))[0]).getByRole("button").first().click();
    await option(page, "M").waitFor();
    await stage("4 question");
  }
  done();
});
