// Answers that people type instead of clicking: what fits is the answer, what does not leaves the question as it was.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, ask, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway();

const booked = (messages) => messages.filter(({ content }) => content?.includes("I'll book"));

for (const version of versions) {
  describe(version, () => {
    /** A tab in which the flights agent has asked. */
    const asked = async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan my trip");
      assert.equal(tab.questions.length, 1);
      return tab;
    };
    /** Says something while a question is open: the client sends nothing as long as it knows of one. */
    const type = (tab, text) => {
      tab.client.pendingInterrupts = [];
      return tab.say(text);
    };

    test("a trip is typed to its end", async () => {
      const tab = await asked();
      const second = await type(tab, "Take the second one, please");
      assert.equal(second.outcome.type, "interrupt", second.text);
      assert.equal(tab.state.itinerary.flight.airline, "United");
      assert.equal((await tab.agrees()).status, "interrupted");
      const third = await type(tab, "the Ritz");
      assert.deepEqual(third.outcome, { type: "success" }, third.text);
      const thread = await tab.agrees();
      assert.equal(thread.state.itinerary.hotel.price_per_night, "$550/night");
      assert.equal(booked(thread.messages).length, 2);
      assert.deepEqual(thread.messages.filter(({ role }) => role === "user").map(({ content }) => content), [
        "Plan my trip",
        "Take the second one, please",
        "the Ritz",
      ]);
    });

    test("what is not understood is said back, and the same question is open", async () => {
      const tab = await asked();
      const [question] = tab.questions;
      for (const text of ["What does United cost?", "not KLM", "KLM or United", "the cheaper one", "yes"]) {
        const stream = await type(tab, text);
        assert.equal(stream.outcome.type, "interrupt", stream.text);
        assert.match(tab.messages.at(-1).content, /There are: 1\. KLM; 2\. United\./);
        assert.deepEqual(tab.questions, [question]);
        await tab.agrees();
      }
      assert.deepEqual(tab.state.itinerary, {});
      const last = await tab.answer({ airline: "KLM" });
      assert.equal(last.outcome.type, "interrupt", last.text);
      assert.equal((await tab.agrees()).state.itinerary.flight.airline, "KLM");
    });

    test("one types and one clicks at the same moment", async () => {
      for (let i = 0; i < 5; i++) {
        const tab = await asked();
        const other = tab.another();
        const ends = await Promise.all([other.say("United"), tab.answer({ airline: "KLM" })]);
        const thread = (await ask(`${gateway.url}/threads/${tab.threadId}`)).body;
        assert.equal(booked(thread.messages).length, 1, JSON.stringify(thread.messages));
        assert.equal(thread.interrupts[0]?.metadata.value.agent, "hotels");
        const codes = ends.map(({ last }) => last.code).filter(Boolean);
        for (const code of codes) assert.match(code, /^(run_in_progress|interrupt_already_resolved|interrupt_pending)$/);
        assert.ok(codes.length <= 1, JSON.stringify(codes));
      }
    });

    test("who has not seen the question does not answer it", async () => {
      const tab = await asked();
      const blind = new Tab(gateway, version, { threadId: tab.threadId });
      const stream = await blind.say("KLM");
      assert.equal(stream.last.code, "interrupt_pending", stream.text);
      assert.equal((await tab.agrees()).status, "interrupted");
    });
  });
}
