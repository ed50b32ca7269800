// The steps of runs: clients that ask for them read their streams as ever, and everybody else sees nothing of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, ask, attach, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway();

const isStep = ({ type, name }) => type === "CUSTOM" && name === "gateway.trace";
const queryOf = { "1.0.0": "", "0.0.59": "&subagents=on" };

for (const version of versions) {
  describe(`for ${version}`, () => {
    test("a client that asks for steps has the conversation and the steps", async () => {
      const tab = new Tab(gateway, version, { path: `/agents/travel?trace=1${queryOf[version]}` });
      const asked = await tab.say("Plan my trip");
      await tab.agrees();
      const told = asked.events.filter(isStep).map(({ value }) => value);
      const { status, body: trace } = await ask(`${gateway.url}/threads/${tab.threadId}/runs/1/trace`);
      assert.equal(status, 200);
      assert.equal(trace.number, 1);
      assert.deepEqual(new Set(told.map(({ id }) => id)), new Set(trace.steps.map(({ id }) => id)));
      for (const step of trace.steps) {
        assert.deepEqual(told.findLast(({ id }) => id === step.id), step);
        assert.ok(step.end >= step.start || step.kind === "question", JSON.stringify(step));
      }
      assert.deepEqual(trace.steps.map(({ kind }) => kind).filter((kind) => kind === "run" || kind === "question"), ["run", "question"]);
    });

    test("a client that does not ask is sent the same without them", async () => {
      const tab = new Tab(gateway, version);
      const first = await tab.say("Plan my trip");
      assert.equal(first.events.filter(isStep).length, 0);
      const late = await attach(gateway, version, tab.threadId, { cursor: "0-0" });
      assert.equal(late.events.filter(isStep).length, 0);
      for (const { type, timestamp } of late.events) assert.ok(Number.isInteger(timestamp), `${type} has its time`);
    });
  });
}

test("the events of a run can be read page by page", async () => {
  const tab = new Tab(gateway, "1.0.0");
  await tab.say("Plan my trip");
  const whole = await attach(gateway, "1.0.0", tab.threadId, { cursor: "0-0" });
  const events = [];
  for (let after = ""; after !== undefined; ) {
    const { status, body } = await ask(`${gateway.url}/threads/${tab.threadId}/runs/1/events?limit=50&after=${after}`);
    assert.equal(status, 200);
    events.push(...body.events);
    after = body.next;
  }
  assert.equal(events[0].event.type, "RUN_STARTED");
  assert.deepEqual(events.map(({ event }) => event), whole.events);
});
