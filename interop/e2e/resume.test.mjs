// Answers to a question, in every spelling, and those that are no answer: whatever comes, the question is answered once.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { Tab, cancelled, resolved, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway();
const united = { airline: "United", departure: "Amsterdam (AMS)", arrival: "San Francisco (SFO)", price: "$720", duration: "12h 15m" };

async function asked(version) {
  const tab = new Tab(gateway, version);
  await tab.say("Plan my trip");
  assert.equal(tab.questions.length, 1);
  return tab;
}

const bookings = ({ messages }) => messages.filter(({ content }) => content?.includes("I'll book")).length;

for (const version of versions) {
  describe(version, () => {
    for (const [spelling, payload] of [
      ["the option", united],
      ["the option as JSON text", JSON.stringify(united)],
      ["its name alone", { airline: "United" }],
      ["its name alone as JSON text", '{"airline":"United"}'],
      ["the option with a price of the caller's own", { ...united, price: "$1" }],
    ]) {
      test(`an answer is ${spelling}`, async () => {
        const tab = await asked(version);
        const stream = await tab.answer(payload);
        assert.equal(stream.outcome.type, "interrupt");
        const after = await tab.agrees();
        assert.deepEqual(after.state.itinerary, { flight: united }, "the server's own copy counts");
        assert.equal(bookings(after), 1);
        assert.equal(after.interrupts[0].metadata.value.agent, "hotels");
      });
    }

    test("an answer may come under the run id of the question", async () => {
      const tab = new Tab(gateway, version);
      const runId = randomUUID();
      await tab.say("Plan my trip", { runId });
      const stream = await tab.run({ runId, resume: [resolved(tab.questions[0].id, united)] });
      assert.equal(stream.events[0].runId, runId);
      const after = await tab.agrees();
      assert.deepEqual(after.state.itinerary, { flight: united });
      assert.deepEqual(after.runs.map((run) => [run.runId, run.status]), [
        [runId, "interrupt"],
        [runId, "interrupt"],
      ]);
    });

    test("a question may be called off, and comes back with the next message", async () => {
      const tab = await asked(version);
      const { id } = tab.questions[0];
      const stream = await tab.run({ resume: [cancelled(id)] });
      assert.deepEqual(stream.outcome, { type: "success" });
      const after = await tab.agrees();
      assert.equal(after.status, "idle");
      assert.equal(bookings(after), 0);
      assert.deepEqual(after.state.itinerary, {});
      assert.equal(after.state.active_agent, "supervisor");
      assert.equal(after.state.planning_step, "collecting_flights");

      assert.equal((await tab.say("Go on planning")).outcome.type, "interrupt");
      assert.notEqual(tab.questions[0].id, id);
      assert.equal(tab.questions[0].metadata.value.agent, "flights");
      await tab.answer(united);
      assert.deepEqual((await tab.agrees()).state.itinerary, { flight: united });
    });

    test("a choice that is none is asked again, as a new question", async () => {
      const tab = await asked(version);
      const { id } = tab.questions[0];
      const stream = await tab.answer({ airline: "Concorde" });
      assert.equal(stream.outcome.type, "interrupt");
      assert.notEqual(tab.questions[0].id, id);
      assert.equal(bookings(await tab.agrees()), 0);
      const stale = await tab.another().run({ resume: [resolved(id, united)] });
      assert.equal(stale.last.code, "interrupt_already_resolved");
      await tab.answer(united);
      assert.deepEqual((await tab.agrees()).state.itinerary, { flight: united });
    });

    for (const [what, code, resume] of [
      ["to a question nobody asked", "interrupt_not_found", () => [resolved("int_nobody", united)]],
      ["that calls off a question nobody asked", "interrupt_not_found", () => [cancelled("int_nobody")]],
      ["without the airline", "resume_invalid", (id) => [resolved(id, { name: "Hotel Zoe" })]],
      ["of another type", "resume_invalid", (id) => [resolved(id, 17)]],
      ["with nothing in it", "resume_invalid", (id) => [{ interruptId: id, status: "resolved" }]],
      ["given twice in one request", "resume_invalid", (id) => [resolved(id, united), resolved(id, united)]],
    ]) {
      test(`an answer ${what} is refused, and the question stays`, async () => {
        const tab = await asked(version);
        const before = await tab.agrees();
        const stream = await tab.another().run({ resume: resume(tab.questions[0].id) });
        assert.deepEqual(stream.types, ["RUN_STARTED", "RUN_ERROR"]);
        assert.equal(stream.last.code, code);
        assert.deepEqual(await thread(gateway, tab.threadId), before, "nothing is claimed");
        await tab.answer(united);
        assert.deepEqual((await tab.agrees()).state.itinerary, { flight: united });
      });
    }

    test("a message without an answer is refused, and not kept, if its page is behind", async () => {
      const tab = await asked(version);
      const before = await tab.agrees();
      const other = new Tab(gateway, version, { threadId: tab.threadId });
      const stream = await other.say("What about Paris?");
      assert.deepEqual(stream.types, ["RUN_STARTED", "RUN_ERROR"]);
      assert.equal(stream.last.code, "interrupt_pending");
      assert.deepEqual(await thread(gateway, tab.threadId), before);
      await tab.answer(united);
      await tab.agrees();
    });

    test("an answer may bring a message with it", async () => {
      const tab = await asked(version);
      tab.client.addMessage(user("This one, please"));
      await tab.answer(united);
      const after = await tab.agrees();
      assert.deepEqual(after.state.itinerary, { flight: united });
      assert.equal(after.messages.filter(({ role }) => role === "user").length, 2);
    });

    test("an answer beside one to a question nobody asked counts", async () => {
      const tab = await asked(version);
      await tab.run({ resume: [resolved("int_nobody", {}), resolved(tab.questions[0].id, united)] });
      assert.deepEqual((await tab.agrees()).state.itinerary, { flight: united });
    });

    test("the same answer again shows the thread as it now stands", async () => {
      const tab = await asked(version);
      const [late, later] = [tab.another(), tab.another()];
      const resume = [resolved(tab.questions[0].id, united)];
      await tab.run({ resume });
      const before = await tab.agrees();
      for (const [stale, payload] of [[late, united], [later, JSON.stringify(united)]]) {
        const again = await stale.run({ resume: [resolved(resume[0].interruptId, payload)] });
        assert.deepEqual(again.types, ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
        assert.deepEqual(again.outcome.interrupts.map(({ id }) => id), [tab.questions[0].id]);
        assert.deepEqual(await stale.agrees(), before, "nothing is done again");
      }

      await tab.answer({ name: "Hotel Zoe" });
      const done = await tab.agrees();
      const again = await tab.another().run({ resume });
      assert.deepEqual(again.outcome, { type: "success" });
      assert.deepEqual(await thread(gateway, tab.threadId), done);
    });

    test("another answer to a question that is answered is refused", async () => {
      const tab = await asked(version);
      const { id } = tab.questions[0];
      await tab.answer(united);
      const before = await tab.agrees();
      for (const resume of [[resolved(id, { airline: "KLM" })], [cancelled(id)]]) {
        const stream = await tab.another().run({ resume });
        assert.deepEqual(stream.types, ["RUN_STARTED", "RUN_ERROR"]);
        assert.equal(stream.last.code, "interrupt_already_resolved");
      }
      assert.deepEqual(await thread(gateway, tab.threadId), before);
      await tab.answer({ name: "Hotel Zoe" });
      assert.equal(bookings(await tab.agrees()), 2);
    });

    test("a client that asks while a question is open is shown it", async () => {
      const tab = await asked(version);
      const before = await tab.agrees();
      const other = new Tab(gateway, version, { threadId: tab.threadId });
      await other.run();
      assert.deepEqual(other.questions, tab.questions);
      assert.deepEqual(await other.agrees(), before);
      await other.answer(united);
      assert.deepEqual((await other.agrees()).state.itinerary, { flight: united });
    });
  });
}
