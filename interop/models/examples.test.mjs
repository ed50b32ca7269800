// Every team of examples/teams as it stands in the repository, with aimock for its model, once with each client.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { versions } from "../lib/client.mjs";
import { Tab } from "./lib/tab.mjs";
import { fetched, serveTeams } from "./lib/teams.mjs";

const { gateways, mock, folder } = await serveTeams();

test("every example is tried", () => {
  const teams = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual([...Object.keys(gateways), ...fetched].toSorted(), teams.toSorted());
});

for (const version of versions) {
  describe(version, () => {
    const enter = (example, agent) => new Tab(gateways[example], version, { agent });

    test("assistant", async () => {
      const tab = enter("assistant", "assistant");
      const stream = await tab.say("What is two and two?");
      assert.deepEqual(stream.texts, ["Four."]);
      assert.equal(stream.last.usage[0].totalTokens, 12);
      await tab.agrees();
    });

    test("planner", async () => {
      const tab = enter("planner", "desk");
      await tab.say("How many piano tuners are there?");
      assert.match(tab.questions[0].message, /1\. analyst: count$/);
      const last = await tab.answer({ approved: true });
      assert.deepEqual(last.texts, ["About three."], last.text);
      const { state } = await tab.agrees();
      assert.deepEqual([state.plan.status, state.plan.plan], ["done", ["analyst: count"]]);
    });

    test("research-desk", async () => {
      const tab = enter("research-desk", "desk");
      const first = await tab.say("Write about the tides");
      assert.deepEqual(first.texts, ["The moon pulls.", "Tides, at some length."]);
      assert.match(tab.questions[0].message, /Is the draft all right\?/);
      const second = await tab.answer("Shorter, please");
      assert.deepEqual(second.texts, ["Tides in brief."]);
      const asked = (await mock.requests()).findLast(({ messages }) => messages[0].content.startsWith("Write three paragraphs"));
      assert.match(asked.messages.at(-1).content, /Shorter, please$/);
      assert.match(asked.messages.at(-2).content, /The state at "\/notes" is now: "The moon pulls\."$/);
      const third = await tab.answer("");
      assert.deepEqual(third.outcome, { type: "success" }, third.text);
      assert.deepEqual((await tab.agrees()).state, { notes: "The moon pulls.", draft: "Tides in brief." });
    });

    test("triage", async () => {
      const tab = enter("triage", "support");
      const first = await tab.say("I was charged twice");
      assert.deepEqual(first.texts, ["You get 12 euros back."]);
      assert.deepEqual(first.of("SUBAGENT_STARTED").map(({ name }) => name), ["triage", "billing"]);
      const second = await tab.say("When?");
      assert.deepEqual(second.of("SUBAGENT_STARTED").map(({ name }) => name), ["billing"], "who spoke last goes on");
      await tab.agrees();
    });

    test("travel: the model speaks, the server books", async () => {
      const tab = enter("travel", "travel");
      const first = await tab.say("Plan my trip");
      assert.ok(first.texts.includes("A voice made by a model."), first.text);
      await tab.answer({ airline: "KLM", price: "$1" });
      const last = await tab.answer({ name: "Hotel Zoe" });
      assert.deepEqual(last.outcome, { type: "success" }, last.text);
      const { state } = await tab.agrees();
      assert.deepEqual([state.itinerary.flight.price, state.itinerary.hotel.name, state.planning_step], ["$650", "Hotel Zoe", "complete"]);
    });

    test("panel", async () => {
      const tab = enter("panel", "panel");
      const stream = await tab.say("Should our bakery close on Mondays?");
      assert.deepEqual(stream.texts.map((text) => text.split(" ")[0]), ["Mondays", "The", "I", "Not"], stream.text);
      const asked = (await mock.requests()).find(({ messages }) => messages[0].content.startsWith("You decide about an idea"));
      assert.match(asked.messages.at(-1).content, /economist: Mondays[^]*lawyer: The contracts[^]*customer: I buy/);
      const { state } = await tab.agrees();
      assert.deepEqual([Object.keys(state.opinions).toSorted(), state.verdict.slice(0, 8)], [["customer", "economist", "lawyer"], "Not yet."]);
    });

    test("support", async () => {
      const tab = enter("support", "support");
      const first = await tab.say("I was charged twice for order 1042.");
      assert.deepEqual(first.of("TOOL_CALL_START").map(({ toolCallName }) => toolCallName), ["handoff_to_refunds", "refund"]);
      const last = await tab.answer({ approved: true });
      assert.deepEqual(last.texts, ["You have 45 euros back for order 1042."], last.text);
      const { state } = await tab.agrees();
      assert.deepEqual(state, { category: "billing", refund: { order: "1042", euros: 45 } });
    });

    test("delegation", async () => {
      const tab = enter("delegation", "organiser");
      const first = await tab.say("Prepare our summer party for 40 people.");
      assert.deepEqual(first.texts, ["The boat takes 60 people for 1200 euros. The old gym takes 100 for 400."]);
      const second = await tab.answer({ approved: true });
      assert.equal(tab.questions.length, 1, second.text);
      const last = await tab.answer({ approved: true, editedArgs: { venue: "Boat on the river", day: "2027-06-20", euros: 1100 } });
      assert.deepEqual(last.texts, ["The boat is booked for 20 June. It costs 1200 euros."], last.text);
      const { state } = await tab.agrees();
      assert.deepEqual(state.booking, { venue: "Boat on the river", day: "2027-06-20", euros: 1100 });
    });

    test("approvals", async () => {
      const tab = enter("approvals", "claims");
      await tab.say("Claims 17 and 18");
      const last = await tab.answer({ approved: true }, { approved: false, reason: "No receipt." });
      assert.deepEqual(last.outcome, { type: "success" }, last.text);
      const { state } = await tab.agrees();
      assert.deepEqual(state.paid, { 17: { person: "Ada", euros: 84 } });
    });

    test("remote", async () => {
      const tab = enter("remote", "desk");
      await tab.say("May I do that?");
      assert.deepEqual(tab.questions.map(({ message }) => message), ["In which country?"]);
      const stream = await tab.answer({ value: "Japan" });
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual(stream.texts, ["In Japan that is allowed, in writing.", "You may."]);
      const { state } = await tab.agrees();
      assert.deepEqual(state, { counsel: { country: "Japan" }, opinion: "In Japan that is allowed, in writing.", answer: "You may." });
    });
  });
}
