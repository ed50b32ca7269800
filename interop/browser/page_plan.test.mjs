// A trip is planned on the gateway's own page, from its welcome to the finished itinerary, by clicks, without a mouse and in words, and
// changed again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, begun } from "./lib/begun.mjs";
import { say } from "./lib/chat.mjs";
import { tabTo } from "./lib/keyboard.mjs";
import { agreesWhole, begin, openPlanner, option, pick, question, row, starter, step, threadOf, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  travel: { type: travel, typed_answers: on }
  strict: { type: travel }
`,
});
const visit = visitor(gateway.url);

/** A plan at its question for a flight: {page, id}. */
async function planned(t, agent = "travel") {
  const id = await begun(gateway, agent, "Plan my trip");
  const page = await visit(t, `#/t/${agent}/${id}`);
  await question(page, /flight/i).waitFor();
  return { page, id };
}

test("a trip is planned with clicks alone, and is found again by a reload", async (t) => {
  const page = await openPlanner(t, gateway.url, { place: "#/t/travel" });
  const id = await begin(page);

  await question(page, /flight/i).waitFor();
  assert.equal(await option(page, "KLM").locator(".recommended").count(), 1);
  assert.equal(await option(page, "United").locator(".recommended").count(), 0);
  await agreesWhole(page, gateway, id);
  await row(page, id).and(page.locator('[data-status="interrupted"]')).waitFor();
  await pick(page, "KLM");

  await question(page, /hotel/i).waitFor();
  await page.reload(); // brings the question back
  await question(page, /hotel/i).waitFor();
  assert.equal(await option(page, "Hotel Zoe").locator(".recommended").count(), 1);
  const { state } = await agreesWhole(page, gateway, id);
  assert.equal(state.itinerary.flight.airline, "KLM");
  await pick(page, "Hotel Zoe");

  for (const when of ["live", "reloaded"]) {
    if (when === "reloaded") await page.reload();
    await step(page, "complete");
    await unasked(page);
    const done = await agreesWhole(page, gateway, id);
    assert.deepEqual([done.status, done.state.itinerary.hotel.name, done.state.experiences.length], ["idle", "Hotel Zoe", 4], when);
    const stages = page.getByTestId("progress").getByRole("listitem");
    assert.deepEqual(await stages.evaluateAll((all) => all.map(({ dataset }) => `${dataset.stage} ${dataset.status}`)), [
      "route done",
      "flight done",
      "hotel done",
      "experiences done",
    ]);
    await row(page, id).and(page.locator('[data-status="idle"]')).waitFor();
  }

  // CopilotKit's client states no protocol version: the page says in another way that it knows the events of subagents.
  const runs = page.streams.filter(({ url }) => url.endsWith("/api/copilotkit/agent/travel/run"));
  assert.equal(runs.length, 3, "the plan and two answers");
  for (const { text } of runs) assert.match(text, /"type":"SUBAGENT_STARTED"/);
});

/** Waits until the questions have taken the focus by themselves. */
const focusedOn = (page) => page.waitForFunction(() => document.activeElement?.dataset.testid === "questions");

test("a trip is planned without a mouse", async (t) => {
  const page = await openPlanner(t, gateway.url, { place: "#/t/travel" });
  await page.getByTestId("welcome").waitFor();
  await page.waitForFunction(() => document.activeElement?.matches('[data-testid="copilot-chat-textarea"]')); // one can write at once
  const first = page.locator("a, button, input, select, textarea, [tabindex]").first();
  assert.equal(await first.textContent(), "Skip to the conversation");
  await first.focus();
  await page.keyboard.press("Enter");
  await tabTo(page, starter(page, "Plan my trip"), { within: 5 });
  await page.keyboard.press("Enter");
  const id = await threadOf(page);

  await question(page, /flight/i).waitFor();
  await focusedOn(page);
  await tabTo(page, option(page, "KLM"), { within: 1 });
  await page.keyboard.press("Enter");
  await question(page, /hotel/i).waitFor();
  await focusedOn(page);
  await tabTo(page, option(page, "Hotel Zoe"), { within: 3 });
  await page.keyboard.press("Space");

  await step(page, "complete");
  await unasked(page);
  await page.waitForFunction(() => document.activeElement?.id === "chat"); // the focus stays in the conversation
  const { state } = await agreesWhole(page, gateway, id);
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zoe"]);

  await tabTo(page, page.getByTestId("copilot-chat-textarea"));
  await page.keyboard.type("Start over");
  await page.keyboard.press("Enter");
  await focusedOn(page);
  await tabTo(page, page.getByTestId("never-mind"), { within: 3 });
  await page.keyboard.press("Enter");
  await unasked(page);
  await agreesWhole(page, gateway, id);
});

test("a trip is planned by typed answers", async (t) => {
  const page = await visit(t, "#/t/travel");
  await page.getByTestId("welcome").waitFor();
  await say(page, "Plan my trip");
  await question(page, "Which flight").waitFor();
  await say(page, "What does United cost?");
  await page.getByText("I do not know which of the answers you mean.", { exact: false }).waitFor();
  await question(page, "Which flight").waitFor();
  await say(page, "Take the second one");
  await question(page, "Which hotel").waitFor();
  await say(page, "the Ritz");
  await step(page, "complete");
  await unasked(page);
  const { state, messages } = await agreesWhole(page, gateway, await threadOf(page));
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["United", "The Ritz-Carlton"]);
  assert.equal(messages.filter(({ role }) => role === "user").length, 4);
});

test("an answer is made again, in the place of the first one", async (t) => {
  const id = await begun(gateway, "travel", "Tell me about San Francisco");
  const page = await visit(t, `#/t/travel/${id}`);
  await page.getByTestId("copilot-regenerate-button").waitFor();
  const before = await agreesWhole(page, gateway, id);
  assert.deepEqual(before.messages.map(({ role }) => role), ["user", "assistant"]);

  await page.getByTestId("copilot-regenerate-button").click();
  await page.locator(`[data-message-id="${before.messages[1].id}"]`).waitFor({ state: "detached" });
  await page.getByTestId("copilot-regenerate-button").waitFor();
  const after = await agreesWhole(page, gateway, id);
  assert.deepEqual(after.messages.map(({ role }) => role), ["user", "assistant"]);
  assert.equal(after.messages[0].id, before.messages[0].id);
  assert.notEqual(after.messages[1].id, before.messages[1].id);
  assert.equal(after.runs.length, 2);
});

test("a question can be skipped, and the plan can go on", async (t) => {
  const { page, id } = await planned(t);
  await page.getByTestId("never-mind").click();
  await unasked(page);
  const { status, state } = await agreesWhole(page, gateway, id);
  assert.deepEqual([status, state.itinerary?.flight], ["idle", undefined]);

  await page.getByRole("button", { name: "Go on with the plan" }).click();
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await agreesWhole(page, gateway, id);
});

test("start over empties the itinerary and asks for a flight again", async (t) => {
  const id = await begun(gateway, "travel", "Plan my trip");
  for (const choice of ["KLM", "Hotel Zoe"]) await answer(gateway, "travel", id, choice);
  const page = await visit(t, `#/t/travel/${id}`);
  await page.getByTestId("start-over").click();
  await question(page, /flight/i).waitFor();
  const { state, messages } = await agreesWhole(page, gateway, id);
  assert.deepEqual([state.itinerary.flight, state.itinerary.hotel], [undefined, undefined]);
  assert.equal(messages.filter(({ role }) => role === "user").length, 2);
});

test("what is written while a question is open stays in the field, if the agent does not take messages for answers", async (t) => {
  const { page, id } = await planned(t, "strict");
  await say(page, "Something cheaper, please");
  await page.getByTestId("notice").filter({ hasText: "answer the question first" }).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Something cheaper, please");
  const { messages } = await agreesWhole(page, gateway, id, "strict");
  assert.equal(messages.filter(({ role }) => role === "user").length, 1);
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Something cheaper, please");
});
