// The judge of frames condemns what CopilotKit would swallow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeFrames } from "./frames.mjs";

const ids = { threadId: "t", runId: "r" };
const started = { type: "RUN_STARTED", ...ids };
const finished = { type: "RUN_FINISHED", ...ids };
const text = { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };

const page = (...events) => ({
  evaluate: async () => {},
  streams: [{ url: "u", ended: true, text: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") }],
});

for (const [what, events] of Object.entries({
  "an outcome it does not know": [started, { ...finished, outcome: { type: "cancelled" } }],
  "null for nothing": [started, { ...text, name: null }, finished],
  "an end without its ids": [started, { type: "RUN_FINISHED" }],
  "an event it does not know": [started, { type: "RUN_PAUSED" }, finished],
  "a message left open": [started, text, finished],
  "no beginning": [finished],
})) {
  test(what, () => assert.rejects(judgeFrames(page(...events))));
}

test("a stream that is right", async () => {
  assert.deepEqual(await judgeFrames(page(started, finished)), [["RUN_STARTED", "RUN_FINISHED"]]);
  await assert.rejects(judgeFrames(page(started, finished), { least: 2 }), "one stream is not two");
});
