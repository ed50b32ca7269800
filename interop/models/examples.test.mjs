// Every team of examples/teams as it stands in the repository, with aimock for its model, once with each client.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { versions } from "../lib/client.mjs";
import { Tab } from "./lib/tab.mjs";
import { serveTeams } from "./lib/teams.mjs";

const { gateways, mock, folder } = await serveTeams();

test("every example is tried", () => {
  const teams = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(Object.keys(gateways).toSorted(), teams.toSorted());
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
