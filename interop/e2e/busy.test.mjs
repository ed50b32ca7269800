// Two requests for one thread at a time: what is new has to wait its turn, what is not becomes a reader.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, inputOf, post, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { metric, withMetrics } from "../lib/metrics.mjs";
import { answer, begun, startHeldModel } from "../lib/held.mjs";
import { until } from "../lib/until.mjs";

const held = await startHeldModel();
const team = JSON.stringify({ version: 1, models: held.models, agents: { desk: { type: "llm", model: "held" } } });
const start = (onBusy) => startGateway({ team, args: ["-on-busy", onBusy, ...withMetrics] });
const [rejecting, queueing, superseding] = await Promise.all(["reject", "queue", "supersede"].map(start));

const agent = "desk";
const answered = answer.beginning + answer.rest;

async function speaking(gateway, version) {
  const tab = new Tab(gateway, version, { agent });
  const middle = tab.until(begun);
  const run = tab.say("Tell me everything");
  await middle;
  return { tab, run };
}

// Another tab, on the thread's own conversation as far as it is committed, says something.
async function interject(gateway, version, tab, content = "Hello") {
  const input = inputOf(version, { threadId: tab.threadId, messages: [tab.messages[0], user(content)] });
  return { input, stream: (await post(gateway, version, input, { path: `/agents/${agent}` })).check() };
}

for (const version of versions) {
  describe(version, () => {
    test("a message to a busy thread is refused, and not kept", async () => {
      const { tab, run } = await speaking(rejecting, version);
      const { stream } = await interject(rejecting, version, tab);
      assert.deepEqual(stream.types, ["RUN_STARTED", "RUN_ERROR"]);
      assert.equal(stream.last.code, "run_in_progress");
      await held.release();
      assert.deepEqual((await run).outcome, { type: "success" });
      assert.deepEqual((await tab.agrees()).messages.map(({ content }) => content), ["Tell me everything", answered]);
    });

    test("a client that brings nothing new to a busy thread reads along", async () => {
      const { tab, run } = await speaking(rejecting, version);
      const others = versions.map((mine) => new Tab(rejecting, mine, { agent, threadId: tab.threadId }));
      const joined = others.map((other) => other.until(begun));
      const reading = others.map((other) => other.run());
      await Promise.all(joined);
      await held.release();
      const streams = await Promise.all(reading);
      await run;
      const truth = await tab.agrees();
      for (const stream of streams) assert.deepEqual(stream.outcome, { type: "success" });
      for (const other of others) assert.deepEqual(await other.agrees(), truth);
      assert.equal(truth.runs.length, 1);
    });

    test("a message may wait for its turn", async () => {
      const { tab, run } = await speaking(queueing, version);
      const waiting = [interject(queueing, version, tab, "Hello"), interject(queueing, version, tab, "Hello there")];
      await until("both wait", async () => (await metric(queueing, "gateway_queued_runs")) === 2);
      await held.release();
      assert.deepEqual((await run).outcome, { type: "success" });
      for (const { stream } of await Promise.all(waiting)) assert.deepEqual(stream.outcome, { type: "success" });
      const after = await thread(queueing, tab.threadId);
      assert.deepEqual(after.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant", "user", "assistant"]);
      assert.deepEqual(after.runs.map(({ status }) => status), ["success", "success", "success"]);
      const fresh = new Tab(queueing, version, { agent, threadId: tab.threadId });
      await fresh.run();
      await fresh.agrees();
    });

    test("a message may take the turn", async () => {
      const { tab, run } = await speaking(superseding, version);
      const { stream } = await interject(superseding, version, tab);
      assert.deepEqual(stream.outcome, { type: "success" });
      const { last } = await run;
      if (version === "1.0.0") assert.deepEqual(last.outcome, { type: "cancelled" });
      else assert.deepEqual([last.type, last.code], ["RUN_ERROR", "cancelled"]);
      const after = await thread(superseding, tab.threadId);
      assert.deepEqual(after.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
      assert.deepEqual(after.runs.map(({ status }) => status), ["success", "cancelled"]);
    });
  });
}
