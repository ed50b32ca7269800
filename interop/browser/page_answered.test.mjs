// Questions that were answered, on the gateway's own page: they stay in the conversation with what was offered.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startAsker } from "./lib/asker.mjs";
import { answer, begun } from "./lib/begun.mjs";
import { idle, say, thread } from "./lib/chat.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { openPlanner, option, pick, placeOf, question, row, team as planners, threadOf, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const many = Array.from({ length: 200 }, (_, i) => ({ name: `Room ${i}`, floor: i % 9 }));
const asker = await startAsker({ Rooms: [{ message: "Which room?", metadata: { value: { options: many } } }] });
const gateway = await startGateway({
  team: `${planners}
  tailor:
    type: script
    description: Asks for a size, and tells it
    steps:
      - say: "Let me see."
      - ask: { key: size, message: "Which size?", options: [ S, M, L ] }
      - say: "Size \${answers.size}."
  rooms: { type: agui, description: Has many rooms, url: "${asker}" }
`,
});

const visit = visitor(gateway.url);

const answered = (page, text) => page.getByTestId("answered").filter({ has: page.getByRole("heading", { name: text }) });

/** What the page shows of an answered question. */
const shown = (page, text) =>
  answered(page, text).evaluate((card) => ({
    status: card.dataset.status,
    offered: [...card.querySelectorAll("[data-testid=offered]")].map(({ dataset }) => dataset.value),
    chosen: [...card.querySelectorAll("[data-chosen]")].map(({ dataset }) => dataset.value),
    written: card.querySelector("[data-testid=written]")?.innerText.replaceAll(/\s+/g, " ").trim(),
  }));

/** What stands in the conversation, in its order: the answered questions, and the messages by what they say. */
const order = (page) =>
  page.locator("[data-testid=answered] h3, [data-message-id]").evaluateAll((elements) => elements.map((element) => element.innerText.trim()));

/** Says something to an agent: {page, id}, id being the thread's. */
async function opened(t, agent, text) {
  const id = randomUUID();
  const page = await visit(t, `#/t/${agent}/${id}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, text);
  return { page, id };
}

test("an answered question stays with what was offered: at once, after a reload and in another tab", async (t) => {
  const { page, id } = await opened(t, "tailor", "A coat, please");
  await question(page, "Which size?").waitFor();
  const other = await openPlanner(t, gateway.url, { context: page.context(), place: `#/t/tailor/${id}` });
  await question(other, "Which size?").waitFor();
  assert.equal(await page.getByTestId("answered").count(), 0);
  await pick(page, "M");
  for (const tab of [page, other]) {
    await answered(tab, "Which size?").waitFor();
    await unasked(tab);
    await tab.getByText("Size M.").waitFor();
    assert.deepEqual(await shown(tab, "Which size?"), { status: "resolved", offered: ["S", "M", "L"], chosen: ["M"], written: undefined });
  }
  await page.reload();
  await answered(page, "Which size?").waitFor();
  await idle(page);
  await say(page, "And a hat");
  await question(page, "Which size?").waitFor();
  await pick(page, "L");
  await answered(page, "Which size?").nth(1).waitFor();
  await page.getByText("Size L.").waitFor();
  const asked = "Which size?";
  assert.deepEqual(await order(page), ["A coat, please", "Let me see.", asked, "Size M.", "And a hat", "Let me see.", asked, "Size L."]);
  assert.match(await answered(page, asked).first().getByText("Answered").textContent(), /just now|min/);
});

test("several questions are sent together, and keep their answers each: an option, one with facts, and what was written", async (t) => {
  const { page, id } = await opened(t, "order", "A coat, please");
  const send = page.getByTestId("send-answers");
  assert.equal(await send.isDisabled(), true);
  await pick(page, "M");
  await pick(page, "Harbour");
  assert.equal(await send.isDisabled(), true);
  await page.reload();
  await pick(page, "L"); // a draft does not outlive the page
  await pick(page, "Harbour");
  await question(page, "Which name").getByRole("textbox").fill("Ada");
  await send.click();
  await unasked(page);
  await page.getByText("Ordered: size L for Ada.").waitFor();
  await page.getByTestId("answered").nth(2).waitFor();
  assert.deepEqual(await shown(page, "Which size?"), { status: "resolved", offered: ["S", "M", "L"], chosen: ["L"], written: undefined });
  assert.deepEqual(await shown(page, "Which shop?"), { status: "resolved", offered: ["Centre", "Harbour"], chosen: ["Harbour"], written: undefined });
  assert.match(await answered(page, "Which shop?").innerText(), /until 18:00/);
  assert.equal((await shown(page, "Which name")).written, "Ada");
  await idle(page);
  const { state, runs } = await thread(gateway, id, "order");
  assert.deepEqual(state, { order: { size: "L", shop: { name: "Harbour", open: "until 18:00" }, name: "Ada" } });
  assert.equal(runs.length, 2);
  for (const value of ["Ada", "Harbour"]) await page.getByTestId("state-tree").getByText(value, { exact: true }).waitFor();
});

test("a question that was skipped says so", async (t) => {
  const { page } = await opened(t, "tailor", "A coat, please");
  await question(page, "Which size?").waitFor();
  await page.getByTestId("never-mind").click();
  await answered(page, "Which size?").waitFor();
  assert.deepEqual(await shown(page, "Which size?"), { status: "cancelled", offered: ["S", "M", "L"], chosen: [], written: undefined });
  await answered(page, "Which size?").getByText("Skipped").waitFor();
});

test("an answer leaves with its turn when that runs again, and is in a copy of the conversation", async (t) => {
  const { page, id } = await opened(t, "tailor", "A coat, please");
  await pick(page, "M");
  await page.getByText("Size M.").waitFor();
  await answered(page, "Which size?").waitFor();
  await idle(page);
  await row(page, id).hover();
  await row(page, id).getByTestId("thread-fork").click();
  await page.waitForFunction((before) => !location.hash.includes(before), id);
  await threadOf(page);
  await answered(page, "Which size?").waitFor();
  assert.deepEqual((await shown(page, "Which size?")).chosen, ["M"]);
  await page.goBack();
  await page.waitForFunction((back) => location.hash.includes(back), id);
  await page.getByText("Size M.").waitFor();
  const last = page.getByTestId("said").last();
  await last.hover();
  await last.getByRole("button", { name: "Regenerate" }).click();
  await question(page, "Which size?").waitFor();
  await page.getByTestId("answered").waitFor({ state: "detached" });
  assert.equal(placeOf(page).thread, id);
});

test("of many options the chosen one and a few are shown, and the others when they are asked for", async (t) => {
  const { page } = await opened(t, "rooms", "Rooms");
  await page.getByTestId("options-find").fill("Room 170");
  await option(page, "Room 170").click();
  await answered(page, "Which room?").waitFor();
  const card = answered(page, "Which room?");
  assert.deepEqual((await shown(page, "Which room?")).chosen, ["Room 170"]);
  assert.equal(await card.getByTestId("offered").filter({ visible: true }).count(), 9);
  await card.getByText("191 more").click();
  assert.equal(await card.getByTestId("offered").filter({ visible: true }).count(), 200);
});

looksTogether("answered questions", async (t, look) => {
  const id = await begun(gateway, "order", "A coat, please");
  await answer(gateway, "order", id, "M", "Harbour", "Ada");
  const page = await openPlanner(t, gateway.url, { place: `#/t/order/${id}`, ...look.options });
  const { stage, done } = camera(page, look, "answered");
  await page.getByTestId("answered").nth(2).waitFor();
  await page.getByText("Ordered: size M for Ada.").waitFor();
  await stage("1 answered", { end: false });
  done();
});
