// A server that is told to end: it takes nothing new, and lets what runs come to its end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { begun, startTeller, told } from "../lib/teller.mjs";
import { until } from "../lib/until.mjs";

const teller = await startTeller();
const team = JSON.stringify({ version: 1, models: teller.models, agents: { slow: { type: "llm", model: "teller" } } });

/** Has the gateway end, and waits until it has begun to: {ended, answer}, the answer being that of whether it is ready. */
async function ending(gateway) {
  const ended = gateway.stop();
  const answer = await until("it is not ready", async () => {
    const answer = await fetch(`${gateway.url}/readyz`);
    return answer.status !== 200 && answer;
  });
  return { ended, answer };
}

test("what runs comes to its end, and a quiet stream is kept alive", async () => {
  const gateway = await startGateway({ team, args: ["-heartbeat", "100ms"] });
  const runs = [];
  for (const version of versions) {
    const tab = new Tab(gateway, version, { agent: "slow" });
    const middle = tab.until(begun);
    runs.push(tab.say("Go"));
    await middle;
    await tab.until((text) => /^:/m.test(text)); // a comment, which the client does not mind
  }
  const { ended } = await ending(gateway);
  await teller.release();
  for (const run of runs) {
    const stream = await run;
    assert.deepEqual(stream.outcome, { type: "success" });
    assert.deepEqual(stream.texts, [told.begins + told.ends]);
  }
  await ended;
});

test("what does not come to its end in time ends in an error of its own", async () => {
  const gateway = await startGateway({ team, args: ["-drain", "300ms"] });
  const runs = [];
  for (const version of versions) {
    const tab = new Tab(gateway, version, { agent: "slow" });
    const middle = tab.until(begun);
    runs.push(tab.say("Go"));
    await middle;
  }
  const stopped = gateway.stop();
  for (const run of runs) {
    const { last } = await run;
    assert.deepEqual([last.type, last.code], ["RUN_ERROR", "draining"]);
  }
  await stopped;
});

test("while it ends it takes nothing new, and says so", async () => {
  const gateway = await startGateway({ team });
  const tab = new Tab(gateway, "1.0.0", { agent: "slow" });
  const middle = tab.until(begun);
  const run = tab.say("Go");
  await middle;
  const { ended, answer } = await ending(gateway);
  assert.equal(answer.status, 503);
  const refused = await fetch(`${gateway.url}/agents/slow`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Go" }], tools: [], context: [] }),
  });
  assert.equal(refused.status, 503);
  assert.equal((await refused.json()).error.code, "draining");
  await teller.release();
  assert.deepEqual((await run).outcome, { type: "success" });
  await ended;
});
