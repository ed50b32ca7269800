// Turns that fail, on the gateway's own page: the reason stays where the answer would have been, and there is a way on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { idle, say, shown } from "./lib/chat.mjs";
import { openPlanner, option, pick, question } from "./lib/planner.mjs";
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
      - sleep: 1s
      - fail: { code: out_of_cloth, message: "There is no cloth left." }
  asker:
    type: script
    description: Asks, and has no cloth either
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M ] }
      - fail: { code: out_of_cloth, message: "There is no cloth left." }
`,
});

const failure = (page) => page.getByTestId("failure").filter({ hasText: "There is no cloth left." });
const runs = async (agent, id) => (await ask(`${gateway.url}/threads/${id}?agent=${agent}`)).body.runs;

/** Opens the page at an agent, and says something: {page, id}. */
async function begun(t, agent) {
  const id = crypto.randomUUID();
  const page = await openPlanner(t, gateway.url, { place: `#/t/${agent}/${id}` });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, "A coat, please");
  return { page, id };
}

test("why a turn failed stays in the conversation, also over a reload, and the turn can be run again", async (t) => {
  const { page, id } = await begun(t, "tailor");
  await failure(page).waitFor();
  await page.getByTestId("notice").getByRole("button", { name: "Dismiss" }).click();
  assert.equal(await failure(page).count(), 1, "what is said for a moment is not all");
  assert.equal(await failure(page).getAttribute("data-code"), "out_of_cloth");

  await page.reload();
  await failure(page).waitFor();
  await failure(page).getByRole("button", { name: "Try again" }).click();
  await failure(page).waitFor({ state: "detached" });
  await failure(page).waitFor();
  await idle(page);
  assert.equal((await runs("tailor", id)).length, 2);
  assert.equal((await shown(page)).filter(({ role }) => role === "user").length, 1, "the message is not said twice");
});

test("a turn that failed is no reason to be asked about after the next one", async (t) => {
  const { page } = await begun(t, "tailor");
  await failure(page).waitFor();
  await say(page, "A hat, then");
  await page.getByText("A hat, then").waitFor();
  await failure(page).waitFor();
  assert.equal(await page.getByTestId("failure").count(), 1, "one reason, of the last turn");
});

test("an answer whose turn failed can be given again, and its card says why, also after a reload", async (t) => {
  const { page, id } = await begun(t, "asker");
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
