// What passes through two gateways, from a model behind the inner one to the client of the outer one: words, thoughts,
// approvals, the browser's calls, a stop; and an outer gateway that dies in the middle.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, test } from "node:test";
import { ask, attach, inputOf, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { reservePorts } from "../lib/ports.mjs";
import { until } from "../lib/until.mjs";
import { startFaults } from "./lib/faults.mjs";
import { modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { startRedis } from "./lib/redis.mjs";
import { changed, keepsSecrets, Tab } from "./lib/tab.mjs";

const calls = (...toolCalls) => ({ content: "I see to it.", toolCalls: toolCalls.map(([name, args = {}]) => ({ name, arguments: args })) });
const mock = await startMock([
  { match: { model: "thinker" }, response: { content: "Forty-two.", reasoning: "Let me think of it for a while." } },
  ...turns("boss", calls(["clerk", { query: "the draft" }], ["show_map", { city: "Paris" }]), "All done."),
  ...turns("browser", calls(["show_map", { city: "Paris" }], ["show_map", { city: "Rome" }]), "Two maps."),
  { match: { model: "clerk", userMessage: "the better draft" }, response: { content: "I wrote the better draft." } },
  { match: { model: "clerk" }, response: { content: "I wrote the draft." } },
  { match: { model: "x-silent" }, response: { content: "Half of what there is to say." } },
  { match: { model: "broken" }, response: { status: 500, error: { message: "sk-secret-cause", type: "server_error" } } },
]);
const spoilt = await startFaults(mock);

const llm = (model, more = {}) => ({ type: "llm", model, ...more });
const names = ["thinker", "boss", "browser", "patient", "broken", "slow"];
const inner = await startGateway({
  team: teamFile({
    models: {
      ...modelsAt(mock.url, ["thinker", "boss", "browser", "clerk", "broken"]),
      ...modelsAt(spoilt.url, ["x-silent"], { idle: "10m", timeout: "10m" }),
    },
    agents: {
      thinker: llm("thinker"),
      clerk: llm("clerk", { description: "Writes" }),
      boss: llm("boss", { tools: [{ agent: "clerk" }] }),
      browser: llm("browser"),
      patient: llm("x-silent"),
      broken: llm("broken"),
      slow: { type: "script", steps: [{ say: "It begins." }, { sleep: "3s" }, { set: { path: "/done", value: true } }, { say: "It ends." }] },
    },
  }),
});
/** Each of the agents, as the only one of a team on the gateway behind. */
const relaying = (to) =>
  teamFile({
    agents: Object.fromEntries(
      names.map((name) => [
        name,
        {
          type: "groupchat",
          manager: { type: "sequential" },
          participants: [{ name: "far", type: "agui", url: `${to.url}/agents/${name}`, state: { path: "/far" } }],
        },
      ]),
    ),
  });
const middle = await startGateway({ team: relaying(inner) });
const outer = await startGateway({ team: relaying(middle) });
after(() => [inner, middle, outer].forEach(keepsSecrets));

const tools = [{ name: "show_map", description: "Shows a map", parameters: { type: "object" } }];
const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);

for (const version of versions) {
  describe(version, () => {
    test("thoughts and words", async () => {
      const tab = new Tab(outer, version, { agent: "thinker" });
      const stream = await tab.say("Why?");
      assert.equal(stream.of("REASONING_MESSAGE_CONTENT").map(({ delta }) => delta).join(""), "Let me think of it for a while.");
      assert.deepEqual(stream.texts, ["Forty-two."]);
      await tab.agrees();
      // What was said is told again, once and under the ids that the inner gateway knows.
      await tab.say("And why?");
      const { messages } = (await mock.requests("thinker")).at(-1);
      assert.deepEqual(messages.map(({ role, content }) => [role, content]).slice(-3), [["user", "Why?"], ["assistant", "Forty-two."], ["user", "And why?"]]);
      await tab.agrees();
    });

    test("an approval with edited arguments, and the browser's call beside it", async () => {
      const tab = new Tab(outer, version, { agent: "boss" });
      const first = await tab.say("See to it", { tools });
      assert.equal(first.outcome?.type, "interrupt", first.text);
      const [clerk, map] = first.of("TOOL_CALL_START");
      assert.deepEqual([clerk.toolCallName, map.toolCallName], ["clerk", "show_map"]);
      assert.deepEqual(tab.questions.map(({ reason, toolCallId }) => [reason, toolCallId]), [["tool_call", clerk.toolCallId]]);
      await tab.agrees();
      tab.client.addMessage({ id: randomUUID(), role: "tool", toolCallId: map.toolCallId, content: "a map" });
      const second = await tab.run({
        tools,
        resume: tab.questions.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true, editedArgs: { query: "the better draft" } } })),
      });
      assert.deepEqual(second.of("TOOL_CALL_START"), [], second.text);
      assert.deepEqual(results(second), ["I wrote the better draft."]);
      assert.equal(second.texts.at(-1), "All done.");
      const { messages } = (await mock.requests("boss")).at(-1);
      assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), [changed + "I wrote the better draft.", "a map"]);
      await tab.agrees();
    });

    test("two of the browser's calls", async () => {
      const tab = new Tab(outer, version, { agent: "browser" });
      const first = await tab.say("Two maps, please", { tools });
      const made = first.of("TOOL_CALL_START");
      if (version === "1.0.0") assert.deepEqual(first.outcome.pendingToolCallIds, made.map(({ toolCallId }) => toolCallId));
      for (const { toolCallId } of made) tab.client.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: `map of ${toolCallId}` });
      const second = await tab.run({ tools });
      assert.deepEqual(second.texts, ["Two maps."], second.text);
      const { messages } = (await mock.requests("browser")).at(-1);
      assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), made.map(({ toolCallId }) => `map of ${toolCallId}`));
      await tab.agrees();
    });

    test("a failure of the model's is the remote's failure, without its words", async () => {
      const tab = new Tab(outer, version, { agent: "broken" });
      const stream = await tab.say("Go on");
      assert.equal(stream.last.code, "remote_failed");
      assert.equal((await tab.agrees()).status, "failed");
    });

    test("a stop reaches the model", async () => {
      const tab = new Tab(outer, version, { agent: "patient" });
      const began = tab.until((text) => text.includes("TEXT_MESSAGE_CONTENT"));
      const run = tab.say("Go on");
      await began;
      assert.equal(spoilt.open(), 1);
      await ask(`${outer.url}/threads/${tab.threadId}/stop`, { method: "POST" });
      await run;
      await until("the model's reply is closed", () => spoilt.open() === 0);
      await tab.agrees();
      // Nobody inside still works for it, so that the thread can go on.
      for (const house of [middle, inner]) {
        const running = async () => (await ask(`${house.url}/threads?status=running`)).body.threads;
        await until("nothing runs", async () => (await running()).length === 0);
      }
    });
  });
}

test("the outer gateway dies while the inner one works: the same run is taken up again, and told once", async () => {
  const redis = await startRedis();
  const args = ["-store", redis.url, "-lease", "1s"];
  const [port] = await reservePorts(1);
  const start = () => startGateway({ team: relaying(inner), args, port });
  let front = await start();
  const threadId = randomUUID();
  const response = await fetch(`${front.url}/agents/slow?disconnect=detach`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(inputOf("1.0.0", { threadId, messages: [user("Go on")] })),
  });
  let before = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    before += piece;
    if (before.includes("It begins.")) break;
  }
  await front.kill();
  front = await start();
  const stream = (await attach(front, "1.0.0", threadId)).check();
  assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
  const { messages, state, status } = await thread(front, threadId);
  assert.equal(status, "idle");
  assert.deepEqual(state, { far: { done: true } });
  assert.deepEqual(messages.map(({ content }) => content), ["Go on", "It begins.", "It ends."]);
  const { body } = await ask(`${inner.url}/threads?agent=slow`);
  assert.equal(body.threads.length, 1);
  const there = await thread(inner, body.threads[0].id);
  assert.equal(there.runs.length, 1, "the inner gateway ran it once");
  await front.stop(); // before its Redis
});
