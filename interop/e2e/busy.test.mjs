// Two requests for one thread at a time: what is new has to wait its turn, what is not becomes a reader.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, inputOf, post, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const start = (onBusy) => startGateway({ args: ["-voice-delay", "5ms", "-on-busy", onBusy] });
const [rejecting, queueing, superseding] = await Promise.all(["reject", "queue", "supersede"].map(start));

const texts = (count) => (text) => text.split('"TEXT_MESSAGE_CONTENT"').length > count;
const question = "Tell me everything about San Francisco";

async function speaking(gateway, version) {
  const tab = new Tab(gateway, version);
  const middle = tab.until(texts(3));
  const run = tab.say(question);
  await middle;
  return { tab, run };
}

// Another tab, on the thread's own conversation as far as it is committed, says something.
async function interject(gateway, version, tab, content = "Hello") {
  const input = inputOf(version, { threadId: tab.threadId, messages: [tab.messages[0], user(content)] });
  return { input, stream: (await post(gateway, version, input)).check() };
}

for (const version of versions) {
  describe(version, () => {
    test("a message to a busy thread is refused, and not kept", async () => {
      const { tab, run } = await speaking(rejecting, version);
      const { stream } = await interject(rejecting, version, tab);
      assert.deepEqual(stream.types, ["RUN_STARTED", "RUN_ERROR"]);
      assert.equal(stream.last.code, "run_in_progress");
      assert.deepEqual((await run).outcome, { type: "success" });
      assert.deepEqual((await tab.agrees()).messages.map(({ content }) => content.slice(0, 4)), ["Tell", "San "]);
    });

    test("a client that brings nothing new to a busy thread reads along", async () => {
      const { tab, run } = await speaking(rejecting, version);
      const others = versions.map((mine) => new Tab(rejecting, mine, { threadId: tab.threadId }));
      const streams = await Promise.all(others.map((other) => other.run()));
      await run;
      const truth = await tab.agrees();
      for (const stream of streams) assert.deepEqual(stream.outcome, { type: "success" });
      for (const other of others) assert.deepEqual(await other.agrees(), truth);
      assert.equal(truth.runs.length, 1);
    });

    test("a message may wait for its turn", async () => {
      const { tab, run } = await speaking(queueing, version);
      const waiting = [interject(queueing, version, tab, "Hello"), interject(queueing, version, tab, "Hello there")];
      assert.deepEqual((await run).outcome, { type: "success" });
      for (const { stream } of await Promise.all(waiting)) assert.deepEqual(stream.outcome, { type: "success" });
      const after = await thread(queueing, tab.threadId);
      assert.deepEqual(after.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant", "user", "assistant"]);
      assert.deepEqual(after.runs.map(({ status }) => status), ["success", "success", "success"]);
      const fresh = new Tab(queueing, version, { threadId: tab.threadId });
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
