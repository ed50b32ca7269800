// A trip is planned on the gateway's own page, from its welcome to the finished itinerary, and changed again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "./lib/chat.mjs";
import { agreesWhole, begin, finish, openPlanner, option, pick, question, row, step, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

test("a trip is planned with clicks alone", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);

  await question(page, /flight/i).waitFor();
  assert.equal(await option(page, "KLM").locator(".recommended").count(), 1);
  assert.equal(await option(page, "United").locator(".recommended").count(), 0);
  await agreesWhole(page, gateway, id);
  await row(page, id).and(page.locator('[data-status="interrupted"]')).waitFor();
  await pick(page, "KLM");

  await question(page, /hotel/i).waitFor();
  assert.equal(await option(page, "Hotel Zoe").locator(".recommended").count(), 1);
  const { state } = await agreesWhole(page, gateway, id);
  assert.equal(state.itinerary.flight.airline, "KLM");
  await pick(page, "Hotel Zoe");

  await step(page, "complete");
  await unasked(page);
  const done = await agreesWhole(page, gateway, id);
  assert.deepEqual([done.status, done.state.itinerary.hotel.name, done.state.experiences.length], ["idle", "Hotel Zoe", 4]);
  const stages = page.getByTestId("progress").getByRole("listitem");
  assert.deepEqual(await stages.evaluateAll((all) => all.map(({ dataset }) => `${dataset.stage} ${dataset.status}`)), [
    "route done",
    "flight done",
    "hotel done",
    "experiences done",
  ]);
  await row(page, id).and(page.locator('[data-status="idle"]')).waitFor();

  // CopilotKit's client states no protocol version: the page says in another way that it knows the events of subagents.
  const runs = page.streams.filter(({ url }) => url.endsWith("/api/copilotkit/agent/travel/run"));
  assert.equal(runs.length, 3, "the plan and two answers");
  for (const { text } of runs) assert.match(text, /"type":"SUBAGENT_STARTED"/);
});

test("a reload between flight and hotel brings the question back", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);
  await pick(page, "United");
  await question(page, /hotel/i).waitFor();
  await page.reload();
  await question(page, /hotel/i).waitFor();
  await agreesWhole(page, gateway, id);
  await pick(page, "The Ritz-Carlton");
  await step(page, "complete");
  const { state } = await agreesWhole(page, gateway, id);
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["United", "The Ritz-Carlton"]);
  await page.reload();
  await step(page, "complete");
  await agreesWhole(page, gateway, id);
});

test("an answer is made again, in the place of the first one", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page, "Tell me about San Francisco");
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
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);
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
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);
  await finish(page);
  await page.getByTestId("start-over").click();
  await question(page, /flight/i).waitFor();
  const { state, messages } = await agreesWhole(page, gateway, id);
  assert.deepEqual([state.itinerary.flight, state.itinerary.hotel], [undefined, undefined]);
  assert.equal(messages.filter(({ role }) => role === "user").length, 2);
});

test("what is written while a question is open stays in the field, if the agent does not take messages for answers", async (t) => {
  const gateway = await startGateway({ team: "{ version: 1, agents: { travel: { type: travel } } }" });
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);
  await question(page, /flight/i).waitFor();
  await say(page, "Something cheaper, please");
  await page.getByTestId("notice").filter({ hasText: "answer the question first" }).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Something cheaper, please");
  const { messages } = await agreesWhole(page, gateway, id);
  assert.equal(messages.filter(({ role }) => role === "user").length, 1);
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Something cheaper, please");
});
