// A server that is told to end: it takes nothing new, and lets what runs come to its end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { until } from "../lib/until.mjs";

const team = `
version: 1
agents:
  slow:
    type: script
    steps:
      - say: "One moment."
      - sleep: 1500ms
      - say: "Here it is."
  slower:
    type: script
    steps:
      - say: "One moment."
      - sleep: 1h
`;

const said = (text) => text.includes("moment");

test("what runs comes to its end, and a quiet stream is kept alive", async () => {
  const gateway = await startGateway({ team, args: ["-heartbeat", "100ms"] });
  const runs = [];
  for (const version of versions) {
    const tab = new Tab(gateway, version, { agent: "slow" });
    const middle = tab.until(said);
    runs.push(tab.say("Go"));
    await middle;
  }
  const stopped = gateway.stop();
  for (const run of runs) {
    const stream = await run;
    assert.deepEqual(stream.outcome, { type: "success" });
    assert.deepEqual(stream.texts, ["One moment.", "Here it is."]);
    assert.match(stream.text, /^:/m, "comments, which the clients did not mind");
  }
  await stopped;
});

test("what does not come to its end in time ends in an error of its own", async () => {
  const gateway = await startGateway({ team, args: ["-drain", "300ms"] });
  const runs = [];
  for (const version of versions) {
    const tab = new Tab(gateway, version, { agent: "slower" });
    const middle = tab.until(said);
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
  const middle = tab.until(said);
  const run = tab.say("Go");
  await middle;
  const stopped = gateway.stop();
  const answer = await until("it is not ready", async () => {
    const answer = await fetch(`${gateway.url}/readyz`);
    return answer.status !== 200 && answer;
  });
  assert.equal(answer.status, 503);
  const refused = await fetch(`${gateway.url}/agents/slow`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Go" }], tools: [], context: [] }),
  });
  assert.equal(refused.status, 503);
  assert.equal((await refused.json()).error.code, "draining");
  assert.deepEqual((await run).outcome, { type: "success" });
  await stopped;
});
