// The gateway's own page in two tabs, of which each does what the other has to see; and long answers: stopped, joined, and there after
// a reload.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { busy, idle, say, settled, stop } from "./lib/chat.mjs";
import { agreesAsked, hide, notice, openPlanner, pick, question, show, threadOf, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";
import { gate, startTeller } from "./lib/teller.mjs";

const held = gate();
const never = gate();
const slowly = (messageId, { wait }) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Once upon a time" },
  wait,
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta: " there was a king." },
  { type: "TEXT_MESSAGE_END", messageId },
];
const teller = await startTeller({ Slowly: slowly("slow", held), Forever: slowly("endless", never) });
const gateway = await startGateway({
  team: `
version: 1
agents:
  tailor:
    type: script
    description: Asks for a size and a shop
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M ] }
      - say: "Size \${answers.size} it is."
      - ask: { key: shop, message: "Which shop?", options: [ Centre, Harbour ] }
      - say: "Come to the \${answers.shop}."
  desk:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: talker, type: agui, url: "${teller}" } ]
`,
});
const visit = visitor(gateway.url);

const says = (page, text) => page.getByText(text, { exact: true }).last().waitFor();
const spoken = (page) => page.getByTestId("said").last().getByText("Once upon a time").waitFor();

/** Two tabs with the question for a size, of which the second has found it by a link, on a profile of its own: {first, second, id}. */
async function twoTabs(t) {
  const id = await begun(gateway, "tailor", "A coat, please");
  const place = `#/t/tailor/${id}`;
  const [first, second] = await Promise.all([openPlanner(t, gateway.url, { place }), openPlanner(t, gateway.url, { place })]);
  for (const page of [first, second]) {
    await question(page, "Which size?").waitFor();
    assert.equal(await threadOf(page), id);
  }
  return { first, second, id };
}

test("both tabs answer at once: one answer counts, and both show which", async (t) => {
  const { first, second, id } = await twoTabs(t);
  const both = [first, second];
  // Neither may hear of the other's answer before it gives its own.
  await Promise.all(both.map(hide));
  await Promise.all([pick(first, "M"), pick(second, "S")]);
  for (const page of both) await question(page, "Which shop?").waitFor();
  await Promise.all(both.map(show));
  await pick(second, "Harbour");
  for (const page of both) {
    await says(page, "Come to the Harbour.");
    await unasked(page);
    const { messages } = await agreesAsked(page, gateway, id, "tailor");
    assert.equal(messages.filter(({ content }) => /it is\./.test(content)).length, 1);
    assert.equal(await page.getByTestId("broken").count(), 0);
  }
});

test("a tab that was not looked at answers too late: it shows the thread as it stands, and follows again when it is looked at", async (t) => {
  const { first, second, id } = await twoTabs(t);
  await hide(first);
  await pick(second, "M");
  await question(second, "Which shop?").waitFor();
  assert.equal(await question(first, "Which size?").count(), 1, "what is hidden follows nothing");

  await pick(first, "S");
  await notice(first, "interrupt_already_resolved").waitFor();
  await question(first, "Which shop?").waitFor();
  const { messages } = await agreesAsked(first, gateway, id, "tailor");
  assert.equal(messages.at(-1).content, "Size M it is.");
  assert.equal(await first.getByTestId("broken").count(), 0);

  await pick(second, "Harbour");
  await says(second, "Come to the Harbour.");
  await show(first);
  await says(first, "Come to the Harbour.");
  await unasked(first);
  await agreesAsked(first, gateway, id, "tailor");
});

test("a long answer is stopped, and what was said of it is there after a reload", async (t) => {
  const page = await visit(t, "#/t/desk");
  await page.getByTestId("welcome").waitFor();
  await say(page, "Forever");
  await spoken(page);
  const id = await threadOf(page);
  await page.getByTestId("speaking").filter({ hasText: "is speaking" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await idle(page);
  const { runs, messages } = await settled(gateway, id, "desk");
  assert.deepEqual(runs.map(({ status }) => status), ["cancelled"]);
  await agreesAsked(page, gateway, id, "desk");
  await page.reload();
  await spoken(page);
  const after = await agreesAsked(page, gateway, id, "desk");
  assert.deepEqual(after.messages, messages);
});

test("a reload in the middle of an answer joins it, and so does another tab, which can stop the next one", async (t) => {
  const page = await visit(t, "#/t/desk");
  await page.getByTestId("welcome").waitFor();
  await say(page, "Slowly");
  await spoken(page);
  const id = await threadOf(page);
  await page.reload();
  await busy(page);
  await spoken(page);
  const other = await openPlanner(t, gateway.url, { context: page.context(), place: `#/t/desk/${id}` });
  await busy(other);
  await spoken(other);
  held.open();
  await settled(gateway, id, "desk");
  for (const each of [page, other]) await agreesAsked(each, gateway, id, "desk");

  await say(page, "Forever");
  for (const each of [page, other]) {
    await busy(each);
    await each.getByTestId("said").nth(1).getByText("Once upon a time").waitFor();
  }
  await stop(other);
  for (const each of [page, other]) await idle(each);
  const { runs } = await settled(gateway, id, "desk");
  assert.deepEqual(runs.map(({ status }) => status), ["cancelled", "success"]);
  for (const each of [page, other]) await each.locator('[data-testid="run-mark"][data-kind="stopped"]').waitFor();
  for (const each of [page, other]) await agreesAsked(each, gateway, id, "desk");
});
