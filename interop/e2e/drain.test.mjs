// A server that is told to end: it takes nothing new, and lets what runs come to its end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { answer, begun, startHeldModel } from "../lib/held.mjs";
import { until } from "../lib/until.mjs";

const held = await startHeldModel();
const team = JSON.stringify({ version: 1, models: held.models, agents: { slow: { type: "llm", model: "held" } } });

/** Stops the gateway, and waits until it drains: {ended, readiness}, where readiness is its answer to /readyz. */
async function draining(gateway) {
  const ended = gateway.stop();
  const readiness = await until("it is not ready", async () => {
    const readiness = await fetch(`${gateway.url}/readyz`);
    return readiness.status !== 200 && readiness;
  });
  return { ended, readiness };
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
  const { ended } = await draining(gateway);
  await held.release();
  for (const run of runs) {
    const stream = await run;
    assert.deepEqual(stream.outcome, { type: "success" });
    assert.deepEqual(stream.texts, [answer.beginning + answer.rest]);
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
  const { ended, readiness } = await draining(gateway);
  assert.equal(readiness.status, 503);
  const refused = await fetch(`${gateway.url}/agents/slow`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Go" }], tools: [], context: [] }),
  });
  assert.equal(refused.status, 503);
  assert.equal((await refused.json()).error.code, "draining");
  await held.release();
  assert.deepEqual((await run).outcome, { type: "success" });
  await ended;
});
