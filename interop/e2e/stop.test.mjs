// Ending a run from outside: by the stop route, and by hanging up.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, ask, attach, fold, inputOf, post, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { metric, withMetrics } from "../lib/metrics.mjs";
import { begun, startHeldModel } from "../lib/held.mjs";
import { until } from "../lib/until.mjs";

const held = await startHeldModel();
const gateway = await startGateway({
  team: JSON.stringify({
    version: 1,
    models: held.models,
    agents: {
      desk: { type: "llm", model: "held" },
      shop: {
        type: "groupchat",
        manager: { type: "sequential" },
        participants: [
          { name: "asks", type: "script", steps: [{ ask: { key: "size", message: "Which size?", options: ["S", "M"] } }] },
          { name: "tells", type: "llm", model: "held" },
        ],
      },
    },
  }),
  args: withMetrics,
});

/** Reads a response until its run has said something. */
async function beginning(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !begun(text); ) {
    const { value, done } = await reader.read();
    assert.ok(!done, text);
    text += value;
  }
}

const stop = (id) => ask(`${gateway.url}/threads/${id}/stop`, { method: "POST" });

function checkStopped({ version, last }) {
  if (version === "1.0.0") assert.deepEqual(last.outcome, { type: "cancelled" });
  else assert.deepEqual([last.type, last.code], ["RUN_ERROR", "cancelled"]);
}

for (const version of versions) {
  describe(version, () => {
    test("a run is stopped in the middle of a sentence, and the thread goes on", async () => {
      const tab = new Tab(gateway, version, { agent: "desk" });
      const middle = tab.until(begun);
      const run = tab.say("Tell me everything");
      await middle;
      const readers = [];
      for (const mine of versions) {
        await new Promise((joined, failed) => {
          const reader = attach(gateway, mine, tab.threadId, { enough: () => joined() });
          readers.push(reader);
          reader.catch(failed);
        });
      }
      assert.deepEqual((await stop(tab.threadId)).body, { stopped: true });
      checkStopped(await run);
      const after = await tab.agrees();
      assert.equal(after.status, "idle");
      assert.equal(after.messages.length, 2, "what was said stays");
      assert.deepEqual(after.runs.map(({ status }) => status), ["cancelled"]);
      for (const reader of await Promise.all(readers)) {
        checkStopped(reader.check());
        const watcher = await fold(reader.version, reader.events, { threadId: tab.threadId });
        assert.deepEqual(watcher.messages, after.messages);
        assert.deepEqual(watcher.state, after.state);
      }

      assert.deepEqual((await stop(tab.threadId)).body, { stopped: false });
      assert.deepEqual((await tab.say("Hello")).outcome, { type: "success" });
      await tab.agrees();
    });

    test("a resumed run that is stopped has used its answer", async () => {
      const tab = new Tab(gateway, version, { agent: "shop" });
      await tab.say("Go");
      const [{ id }] = tab.questions;
      const middle = tab.until(begun);
      const run = tab.answer("M");
      await middle;
      await stop(tab.threadId);
      checkStopped(await run);
      await tab.agrees();
      const again = new Tab(gateway, version, { agent: "shop", threadId: tab.threadId });
      const late = await again.run({ resume: [{ interruptId: id, status: "resolved", payload: "S" }] });
      assert.equal(late.last.code, "interrupt_already_resolved");
      await again.run();
      await again.say("Go on");
      assert.deepEqual(again.questions.map(({ message }) => message), ["Which size?"]);
      assert.notEqual(again.questions[0].id, id);
      await again.agrees();
    });

    test("hanging up stops a run that nobody else reads", async () => {
      const hangUp = new AbortController();
      const input = inputOf(version, { messages: [user("Tell me everything")] });
      const response = await fetch(`${gateway.url}/agents/desk`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(input),
        signal: hangUp.signal,
      });
      await beginning(response);
      hangUp.abort();
      // A new message does not have to wait for the run's end: the hang-up was the stop, as soon as the server sees it.
      const next = { ...input, runId: "next", messages: [...input.messages, user("Hello")] };
      const stream = await until("the hang-up is seen", async () => {
        const stream = (await post(gateway, version, next, { path: "/agents/desk" })).check();
        return stream.last.code !== "run_in_progress" && stream;
      });
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      const again = new Tab(gateway, version, { agent: "desk", threadId: input.threadId });
      await again.run();
      const after = await again.agrees();
      assert.deepEqual(after.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
      assert.deepEqual(after.runs.map(({ status }) => status), ["success", "cancelled"]);
    });

    test("a run that was told to outlive its connection does", async () => {
      const hangUp = new AbortController();
      const input = inputOf(version, { messages: [user("Tell me everything")] });
      const response = await fetch(`${gateway.url}/agents/desk?disconnect=detach`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(input),
        signal: hangUp.signal,
      });
      await beginning(response);
      hangUp.abort();
      await until("the hang-up is seen", async () => (await metric(gateway, "gateway_open_readers")) === 0);
      await held.release();
      const stream = await attach(gateway, version, input.threadId);
      assert.deepEqual(stream.check().outcome, { type: "success" });
      assert.deepEqual((await thread(gateway, input.threadId)).runs.map(({ status }) => status), ["success"]);
    });
  });
}

test("a thread nobody knows cannot be stopped", async () => {
  const { status, body } = await stop("nobody");
  assert.equal(status, 404);
  assert.equal(body.error.code, "not_found");
});
