// What goes wrong with a model, and what becomes of the run: each has its code, and nothing half-said stays.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { until } from "../lib/until.mjs";
import { startFaults } from "./lib/faults.mjs";
import { counts, modelsAt, startMock, teamFile } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const words = "These are quite a few words for one model to say at once.";
const says = (model) => ({ match: { model }, response: { content: words, usage: counts(9, 12) } });
const refuses = (model, status, error, more = {}) => ({ match: { model }, response: { status, error, ...more } });
const spoiltModels = ["unfinished", "reasonless", "error", "filtered", "broken", "torn", "silent", "endless", "polite"].map((fault) => `x-${fault}`);

const mock = await startMock([
  ...[...spoiltModels, "x-unfinished-once", "keyless", "open-ended"].map(says),
  // The mock's own ways to break off: a socket that is gone after some pieces.
  { ...says("cut"), latency: 40, truncateAfterChunks: 3 },
  { match: { model: "withheld" }, response: { content: words, finishReason: "content_filter" } },
  refuses("limited", 429, { message: "slow down", type: "rate_limit_error", code: "rate_limit_exceeded" }, { retryAfter: 3600 }),
  refuses("spent", 429, { message: "no money", type: "insufficient_quota", code: "insufficient_quota" }),
  refuses("down", 503, { message: "sk-secret-cause is down", type: "server_error" }),
  refuses("filtered", 400, { message: "your prompt", type: "invalid_request_error", code: "content_filter" }),
  refuses("wrong", 400, { message: "no such model", type: "invalid_request_error", code: "model_not_found" }),
  // The first request is turned away, the second is answered.
  { match: { model: "busy", sequenceIndex: 0 }, response: { status: 429, error: { message: "slow down", type: "rate_limit_error" }, retryAfter: 1 } },
  { match: { model: "busy", sequenceIndex: 1 }, response: { status: 429, error: { message: "slow down", type: "rate_limit_error" }, retryAfter: 1 } },
  says("busy"),
]);
const spoilt = await startFaults(mock);

const names = ["cut", "withheld", "limited", "spent", "down", "filtered", "wrong"];
const gateway = await startGateway({
  team: teamFile({
    models: {
      ...modelsAt(mock.url, names, { retries: 2 }),
      ...modelsAt(mock.url, ["busy"], { retries: 3 }),
      ...modelsAt(mock.url, ["keyless"], { api_key: "sk-secret-cause" }),
      ...modelsAt(spoilt.url, spoiltModels),
      ...modelsAt(spoilt.url, ["x-silent"], { idle: "700ms" }),
      ...modelsAt(spoilt.url, ["x-endless"], { timeout: "2s" }),
      ...modelsAt(spoilt.url, ["x-unfinished-once"], { retries: 2 }),
    },
    agents: Object.fromEntries(
      [...names, "busy", "keyless", ...spoiltModels, "x-unfinished-once"].map((model) => [model, { type: "llm", model }]),
    ),
  }),
});
after(() => keepsSecrets(gateway));

/** Everything that can go wrong: the agent, the code it ends with, and whether words came before. */
const faults = [
  { agent: "x-unfinished", title: "a stream that ends without a finish reason", code: "model_response", spoke: true },
  { agent: "cut", title: "a connection that breaks off", code: "model_unavailable", spoke: true },
  { agent: "x-torn", title: "a connection that is reset", code: "model_unavailable", spoke: true },
  { agent: "x-error", title: "an error in the middle", code: "model_unavailable", spoke: true },
  { agent: "x-filtered", title: "a filter's word in the middle", code: "model_content_filter", spoke: true },
  { agent: "x-broken", title: "a frame that is no JSON", code: "model_response", spoke: true },
  { agent: "x-silent", title: "a stream that falls silent", code: "model_unavailable", spoke: true },
  { agent: "x-endless", title: "a stream that never stops", code: "model_unavailable", spoke: true },
  { agent: "withheld", title: "a reply that is withheld", code: "model_content_filter", spoke: true },
  { agent: "x-polite", title: "an error with the status of success", code: "model_unavailable" },
  { agent: "limited", title: "a limit that asks for an hour", code: "model_unavailable", asked: 1 },
  { agent: "spent", title: "a limit that is no matter of time", code: "model_unavailable", asked: 1 },
  { agent: "filtered", title: "a prompt that is refused", code: "model_content_filter", asked: 1 },
  { agent: "wrong", title: "a request that is refused", code: "model_request", asked: 1 },
  { agent: "keyless", title: "a wrong key", code: "model_auth" },
  { agent: "down", title: "a server that is down", code: "model_unavailable", asked: 3 },
];

for (const version of versions) {
  describe(version, () => {
    for (const { agent, title, code, spoke = false, asked } of faults) {
      test(`${title}: ${code}`, async () => {
        const before = (await mock.requests(agent)).length;
        const tab = new Tab(gateway, version, { agent });
        const stream = await tab.say("Say it");
        assert.equal(stream.last.type, "RUN_ERROR");
        assert.equal(stream.last.code, code);
        assert.equal(stream.of("TEXT_MESSAGE_CONTENT").length > 0, spoke);
        // What was half said is withdrawn, and the question is there to be asked again.
        assert.deepEqual(tab.messages.map(({ content }) => content), ["Say it"]);
        const thread = await tab.agrees();
        assert.equal(thread.status, "failed");
        assert.equal(thread.runs[0].code, code);
        if (asked !== undefined) assert.equal((await mock.requests(agent)).length - before, asked);
      });
    }
  });
}

test("a server that is busy is asked again when it said it may be", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "busy" });
  const stream = await tab.say("Say it");
  assert.deepEqual(stream.texts, [words]);
  const asked = await mock.requests("busy");
  assert.deepEqual(asked.map(({ status }) => status), [429, 429, 200]);
  for (const i of [1, 2]) assert.ok(asked[i].at - asked[i - 1].at >= 1000, "it asked to be left alone for a second");
  await tab.agrees();
});

test("a reply that broke off after words is not asked for again, but by the caller", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "x-unfinished-once" });
  const first = await tab.say("Say it");
  assert.equal(first.last.code, "model_response");
  assert.equal((await mock.requests("x-unfinished-once")).length, 1);
  const second = await tab.run();
  assert.deepEqual(second.texts, [words]);
  assert.deepEqual((await tab.agrees()).messages.map(({ content }) => content), ["Say it", words]);
});

test("a reply that ends with nothing but the mark of the stream's end is complete", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "x-reasonless" });
  assert.deepEqual((await tab.say("Say it")).texts, [words]);
  await tab.agrees();
});

test("no reply is held open behind a run that has ended", async () => {
  await until("every reply is closed", () => spoilt.open() === 0); // a closed socket is noticed a little later
});
