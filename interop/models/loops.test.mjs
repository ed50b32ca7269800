// Models that name the wrong speaker, go round in circles, answer with broken JSON or never stop: contained, each with
// its code.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { startFaults } from "./lib/faults.mjs";
import { counts, modelsAt, startMock, teamFile } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const choice = (next_speaker, more = {}) => ({ content: { reason: "because", terminate: next_speaker === null, next_speaker, message: null, instruction: null, ...more }, usage: counts(10, 5) });

const mock = await startMock([
  { match: { model: "stranger" }, response: choice("nobody_we_know") },
  { match: { model: "corrected", userMessage: "That will not do" }, response: choice("writer") },
  { match: { model: "corrected" }, response: choice("Wrighter") },
  { match: { model: "mumbler" }, response: { content: '{"reason": "because", "next_speaker": ', usage: counts(10, 5) } },
  { match: { model: "same" }, response: choice("writer") },
  { match: { model: "idler" }, response: choice("idle") },
  { match: { model: "writer" }, response: { content: "A few lines.", usage: counts(3, 4) } },
  // It calls its tool whatever the tool says.
  { match: { model: "caller" }, response: { toolCalls: [{ name: "clerk", arguments: { query: "again" } }] } },
  { match: { model: "stuttering" }, response: { toolCalls: [{ name: "clerk", arguments: '{"query": ' }] } },
  { match: { model: "inventor" }, response: { toolCalls: [{ name: "no_such_tool", arguments: {} }] } },
  // Each hands over to the other, for ever.
  { match: { model: "ping" }, response: { toolCalls: [{ name: "handoff_to_pong", arguments: {} }] } },
  { match: { model: "pong" }, response: { toolCalls: [{ name: "handoff_to_ping", arguments: {} }] } },
  { match: { model: "deserter" }, response: { content: "I go.", toolCalls: [{ name: "handoff_to_nobody", arguments: {} }] } },
  { match: { model: "x-endless" }, response: { content: "And so on and so forth, until the end of days." } },
  { match: { model: "cut-call" }, response: { toolCalls: [{ name: "clerk", arguments: '{"query": "a' }], finishReason: "length" } },
]);
const spoilt = await startFaults(mock);

const llm = (model, more = {}) => ({ type: "llm", model, ...more });
const script = (...steps) => ({ type: "script", steps });
const team = (manager, more = {}) => ({
  type: "groupchat",
  manager,
  participants: [
    { name: "writer", description: "Writes", ...llm("writer") },
    { name: "idle", description: "Does nothing", ...script({ sleep: "1ms" }) },
  ],
  ...more,
});
const chosenBy = (model, more = {}) => team({ type: "llm", model, ...more }, { max_rounds: 3 });
const caller = (model) => llm(model, { max_steps: 4, tools: [{ agent: "clerk", approve: "never" }] });

const gateway = await startGateway({
  team: teamFile({
    models: {
      ...modelsAt(mock.url, ["stranger", "corrected", "mumbler", "same", "idler", "writer", "caller", "stuttering", "inventor", "ping", "pong", "deserter", "cut-call"]),
      ...modelsAt(spoilt.url, ["x-endless"]),
    },
    agents: {
      clerk: { description: "Looks things up", ...script({ say: "I found nothing." }) },
      stranger: chosenBy("stranger"),
      relieved: chosenBy("stranger", { fallback: { type: "rules", rules: [{ when: { missing: "/never" }, speaker: "writer" }, { when: { present: "/never" }, speaker: "idle" }], default: "done" } }),
      corrected: chosenBy("corrected"),
      mumbler: chosenBy("mumbler"),
      same: chosenBy("same"),
      idler: chosenBy("idler"),
      caller: caller("caller"),
      stuttering: caller("stuttering"),
      inventor: caller("inventor"),
      cut: caller("cut-call"),
      pingpong: {
        type: "groupchat",
        manager: { type: "handoff", start: "ping", turns: 6 },
        participants: [
          { name: "ping", description: "There", ...llm("ping") },
          { name: "pong", description: "And back", ...llm("pong") },
        ],
      },
      deserter: {
        type: "groupchat",
        manager: { type: "handoff", start: "ping" },
        participants: [
          { name: "ping", description: "There", ...llm("deserter", { max_steps: 3 }) },
          { name: "pong", description: "And back", ...llm("pong") },
        ],
      },
      endless: { ...llm("x-endless"), run_timeout: "2s" },
    },
  }),
});
after(() => keepsSecrets(gateway));

for (const version of versions) {
  describe(version, () => {
    const say = async (agent) => {
      const tab = new Tab(gateway, version, { agent });
      return { tab, stream: await tab.say("Go on") };
    };
    const fails = (title, agent, code, asked) =>
      test(`${title}: ${code}`, async () => {
        const before = (await mock.requests()).length;
        const { tab, stream } = await say(agent);
        assert.equal(stream.last.type, "RUN_ERROR", stream.text);
        assert.equal(stream.last.code, code);
        if (asked) assert.equal((await mock.requests()).length - before, asked);
        const thread = await tab.agrees();
        assert.equal(thread.status, "failed");
        assert.deepEqual(thread.messages.filter(({ role }) => role === "user").length, 1);
        return stream;
      });

    fails("a manager that names a stranger is corrected twice", "stranger", "unknown_speaker", 3);
    fails("a manager that answers with broken JSON", "mumbler", "model_response", 3);
    fails("a manager that insists on somebody who does nothing", "idler", "no_progress");
    fails("a tool that is called for ever", "caller", "not_converged", 5);
    fails("calls whose arguments are broken JSON", "stuttering", "not_converged", 5);
    fails("calls of a tool that does not exist", "inventor", "not_converged", 5);
    fails("a handover to somebody who does not exist", "deserter", "not_converged", 4);
    fails("a reply that was cut off in a call", "cut", "model_response", 1);
    fails("a model that never stops, and a run that must", "endless", "run_timeout", 1);

    test("a fallback decides for a manager that cannot", async () => {
      const { tab, stream } = await say("relieved");
      assert.deepEqual(stream.texts, ["A few lines.", "A few lines.", "A few lines."]);
      assert.deepEqual(stream.outcome, { type: "success" });
      await tab.agrees();
    });

    test("a manager that is told what was wrong and mends it", async () => {
      const before = (await mock.requests("corrected")).length;
      const { tab, stream } = await say("corrected");
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.equal(stream.texts.length, 3);
      const asked = (await mock.requests("corrected")).slice(before);
      assert.match(asked[1].messages.at(-1).content, /there is no "Wrighter"; next_speaker is one of writer, idle/);
      // Everything that was asked is paid for, the wrong choices too.
      const of = (model) => stream.last.usage.find((cost) => cost.model === model);
      assert.equal(of("corrected").totalTokens, 15 * asked.length);
      assert.equal(of("writer").totalTokens, 7 * 3);
      await tab.agrees();
    });

    test("a manager that never ends is ended by the rounds", async () => {
      const { tab, stream } = await say("same");
      assert.equal(stream.texts.length, 3);
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.equal((await tab.agrees()).status, "idle");
    });

    test("two who hand over to each other for ever are ended by the turns", async () => {
      const { tab, stream } = await say("pingpong");
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.deepEqual(stream.of("SUBAGENT_STARTED").map(({ name }) => name), ["ping", "pong", "ping", "pong", "ping", "pong"]);
      await tab.agrees();
    });
  });
}
