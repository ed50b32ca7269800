// Turns that fail, on the gateway's own page: the reason stays where the answer would have been, and there is a way on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { idle, say, shown } from "./lib/chat.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { closeInspector, openPlanner, option, pick, placeOf, question, threadOf, visitor } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  tailor:
    type: script
    description: Has no cloth
    steps:
      - say: "Let me see."
      - fail: { code: out_of_cloth, message: "There is no cloth left." }
  asker:
    type: script
    description: Asks, and has no cloth either
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M ] }
      - fail: { code: out_of_cloth, message: "There is no cloth left." }
`,
});

const earlier = (page) => page.getByTestId("failed-run").filter({ hasText: "There is no cloth left." });
const failure = (page) => page.getByTestId("failure").filter({ hasText: "There is no cloth left." });
const dismiss = (page) => page.getByTestId("notice").getByRole("button", { name: "Dismiss" }).click();
const runs = async (agent, id) => (await ask(`${gateway.url}/threads/${id}?agent=${agent}`)).body.runs;

const visit = visitor(gateway.url);

/** Says something to an agent: {page, id}. */
async function opened(t, agent) {
  const id = crypto.randomUUID();
  const page = await visit(t, `#/t/${agent}/${id}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, "A coat, please");
  return { page, id };
}

/** Keeps the page's next run from the gateway, until what this returns is called. */
async function hold(page) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/run", (route) => released.then(() => route.continue()), { times: 1 });
  return release;
}

test("why a turn failed stays in the conversation, also over a reload, and the turn can be run again", async (t) => {
  const { page, id } = await opened(t, "tailor");
  await failure(page).waitFor();
  await dismiss(page);
  assert.equal(await failure(page).count(), 1, "what is said for a moment is not all");
  assert.equal(await failure(page).getAttribute("data-code"), "out_of_cloth");

  await page.reload();
  await failure(page).waitFor();
  const release = await hold(page);
  await failure(page).getByRole("button", { name: "Try again" }).click();
  await failure(page).waitFor({ state: "detached" });
  release();
  await failure(page).waitFor();
  await idle(page);
  assert.equal((await runs("tailor", id)).length, 2);
  assert.equal((await shown(page)).filter(({ role }) => role === "user").length, 1, "the message is not said twice");
});

test("an earlier turn that failed stays with its reason, also after later messages and a reload, and runs again in a copy", async (t) => {
  const { page, id } = await opened(t, "tailor");
  await failure(page).waitFor();
  await say(page, "A hat, then");
  await earlier(page).waitFor();
  await failure(page).waitFor();
  assert.equal(await failure(page).count(), 1, "one of them is the last turn's");
  await page.reload();
  await earlier(page).waitFor();
  assert.deepEqual(
    await page.locator("[data-testid=failed-run], [data-testid=failure], [data-message-id]").evaluateAll((elements) =>
      elements.map(({ dataset, innerText }) => (dataset.testid?.startsWith("fail") ? "failed" : innerText.trim())),
    ),
    ["A coat, please", "Let me see.", "failed", "A hat, then", "Let me see.", "failed"],
  );
  await earlier(page).getByRole("button", { name: "Open in inspector" }).click();
  await page.getByTestId("inspector").waitFor();
  assert.deepEqual(placeOf(page).inspect, { inspect: "trace", run: "1" });
  await closeInspector(page);
  await earlier(page).getByRole("button", { name: "Try again in a copy" }).click();
  await page.waitForFunction((before) => !location.hash.includes(before), id);
  const copy = await threadOf(page);
  await failure(page).waitFor();
  await idle(page);
  assert.equal(await earlier(page).count(), 0);
  assert.deepEqual((await shown(page)).filter(({ role }) => role === "user").map(({ text }) => text), ["A coat, please"]);
  assert.deepEqual([(await runs("tailor", copy)).length, (await runs("tailor", id)).length], [1, 2]);
});

test("a failure goes when its turn runs again, and leads to its run while it is there", async (t) => {
  const { page } = await opened(t, "tailor");
  await failure(page).waitFor();
  await dismiss(page); // it would cover the inspector's buttons
  await failure(page).getByRole("button", { name: "Open in inspector" }).click();
  await page.getByTestId("inspector").waitFor();
  assert.deepEqual(placeOf(page).inspect, { inspect: "trace", run: "1" });
  await closeInspector(page);
  const release = await hold(page);
  await failure(page).getByRole("button", { name: "Try again" }).focus();
  await page.keyboard.press("Enter");
  await failure(page).waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.id === "chat"); // the focus is not lost
  release();
  await failure(page).waitFor();
  await idle(page);
  await page.reload();
  await failure(page).waitFor();
  assert.equal(await earlier(page).count(), 0, "its turn ran again");
});

test("an answer whose turn failed can be given again, and its card says why, also after a reload", async (t) => {
  const { page, id } = await opened(t, "asker");
  await pick(page, "M");
  const reason = question(page, "Which size?").getByTestId("refusal").filter({ hasText: "There is no cloth left." });
  await reason.waitFor();
  await option(page, "M").and(page.locator(":enabled")).waitFor();
  await page.reload();
  await reason.waitFor();
  await pick(page, "S");
  await reason.waitFor();
  await idle(page);
  assert.equal((await runs("asker", id)).length, 3);
});

looksTogether("turns that failed", async (t, look) => {
  const id = await begun(gateway, "tailor", "A coat, please");
  await begun(gateway, "tailor", "A hat, then", id);
  const page = await openPlanner(t, gateway.url, { place: `#/t/tailor/${id}`, ...look.options });
  await earlier(page).waitFor();
  await failure(page).waitFor();
  const { stage, done } = camera(page, look, "failures");
  await stage("1 two failures");
  done();
});
