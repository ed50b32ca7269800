// What models say, with aimock as the model: text, reasoning, calls of tools, JSON; judged where it arrives.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { startFaults } from "./lib/faults.mjs";
import { counts, modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const plan = {
  type: "object",
  required: ["city", "days"],
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  additionalProperties: false,
};

const mock = await startMock([
  { match: { model: "text" }, response: { content: "A model says more than twenty characters.", usage: counts(11, 7) } },
  { match: { model: "reasoning" }, response: { content: "Forty-two.", reasoning: "Let me think of it for a while, and then some.", usage: counts(5, 30) } },
  { match: { model: "reasoning-router" }, response: { content: "Forty-two.", reasoning: "Let me think of it for a while, and then some." } },
  ...turns(
    "browser",
    {
      content: "I look twice.",
      toolCalls: [
        { name: "show_map", arguments: { city: "Paris" } },
        { name: "show_weather", arguments: { city: "Paris", days: 3 } },
      ],
      usage: counts(20, 9),
    },
    "Paris is sunny.",
  ),
  {
    match: { model: "triage", hasToolResult: false },
    response: {
      content: "One moment.",
      toolCalls: [
        { name: "show_map", arguments: { city: "Rome" } },
        { name: "handoff_to_refunds", arguments: { reason: "money" } },
      ],
    },
  },
  { match: { model: "triage-alone" }, response: { content: "One moment.", toolCalls: [{ name: "handoff_to_refunds", arguments: {} }] } },
  { match: { model: "refunds" }, response: { content: "You get it back." } },
  { match: { model: "json" }, response: { content: { city: "Oslo", days: 2 } } },
  { match: { model: "json-mended", userMessage: "not what was asked for" }, response: { content: { city: "Oslo", days: 2 } } },
  { match: { model: "json-mended" }, response: { content: '{"city": "Oslo", "days": "two"}' } },
  { match: { model: "json-wrong" }, response: { content: '{"city": "Oslo", "days": ' } },
]);
const spoilt = await startFaults(mock);

const llm = (model, more = {}) => ({ type: "llm", model, instructions: "Be brief.", ...more });
const pair = (model) => ({
  type: "groupchat",
  manager: { type: "handoff", start: "triage", edges: { triage: ["refunds"], refunds: ["triage"] } },
  participants: [
    { name: "triage", description: "Finds out", ...llm(model) },
    { name: "refunds", description: "Pays back", ...llm("refunds") },
  ],
});

const gateway = await startGateway({
  team: teamFile({
    models: {
      ...modelsAt(mock.url, ["text", "reasoning", "browser", "triage", "triage-alone", "refunds", "json", "json-mended", "json-wrong"]),
      ...modelsAt(spoilt.url, ["reasoning-router"]),
    },
    agents: {
      text: llm("text"),
      reasoning: llm("reasoning"),
      router: llm("reasoning-router"),
      browser: llm("browser"),
      desk: pair("triage"),
      "desk-alone": pair("triage-alone"),
      planner: llm("json", { schema: plan, store: "/plan", strict: true }),
      mended: llm("json-mended", { schema: plan, store: "/plan", say: true }),
      wrong: llm("json-wrong", { schema: plan, store: "/plan" }),
    },
  }),
});
after(() => keepsSecrets(gateway));

const tools = ["show_map", "show_weather"].map((name) => ({
  name,
  description: `What ${name} does`,
  parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
}));

/** Ends as the protocol of that version says it. */
function success(version, pendingToolCallIds) {
  if (!pendingToolCallIds) return { type: "success" };
  return version === "1.0.0" ? { type: "success", pendingToolCallIds } : undefined;
}
const results = (tab, ...contents) => {
  const calls = tab.messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  contents.forEach((content, i) => tab.client.addMessage({ id: `result-${tab.threadId}-${i}`, role: "tool", toolCallId: calls[i].id, content }));
};

for (const version of versions) {
  describe(version, () => {
    test("text arrives in pieces, and what it cost is told", async () => {
      const tab = new Tab(gateway, version, { agent: "text" });
      const first = await tab.say("Hello");
      assert.deepEqual(first.texts, ["A model says more than twenty characters."]);
      assert.ok(first.of("TEXT_MESSAGE_CONTENT").length > 1);
      const cost = { provider: "aimock", model: "text", inputTokens: 11, outputTokens: 7, totalTokens: 18 };
      assert.deepEqual(first.last.usage, [cost]);
      assert.deepEqual((await tab.agrees()).usage, [cost]);

      const second = await tab.say("Once more");
      assert.deepEqual(second.last.usage, [cost], "of this run");
      assert.deepEqual((await tab.agrees()).usage, [{ ...cost, inputTokens: 22, outputTokens: 14, totalTokens: 36 }]);
      const asked = await mock.requests("text");
      assert.deepEqual(
        asked.at(-1).messages.map(({ role, content }) => [role, content]),
        [
          ["system", "Be brief."],
          ["user", "Hello"],
          ["assistant", first.texts[0]],
          ["user", "Once more"],
        ],
      );
    });

    for (const agent of ["reasoning", "router"]) {
      test(`reasoning is kept apart from words: ${agent}`, async () => {
        const tab = new Tab(gateway, version, { agent });
        const stream = await tab.say("Why?");
        assert.deepEqual(
          stream.types.filter((type, i, all) => /^REASONING|^TEXT/.test(type) && all[i - 1] !== type),
          [
            "REASONING_START",
            "REASONING_MESSAGE_START",
            "REASONING_MESSAGE_CONTENT",
            "REASONING_MESSAGE_END",
            "REASONING_END",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
          ],
        );
        const thought = stream.of("REASONING_MESSAGE_CONTENT").map(({ delta }) => delta).join("");
        assert.equal(thought, "Let me think of it for a while, and then some.");
        assert.deepEqual(stream.texts, ["Forty-two."]);
        await tab.agrees();
      });
    }

    test("two of the browser's tools at once", async () => {
      const tab = new Tab(gateway, version, { agent: "browser" });
      const first = await tab.say("How is Paris?", { tools });
      const calls = first.of("TOOL_CALL_START");
      assert.deepEqual(calls.map(({ toolCallName }) => toolCallName), ["show_map", "show_weather"]);
      assert.deepEqual(first.outcome, success(version, calls.map(({ toolCallId }) => toolCallId)));
      const [message] = tab.messages.slice(-1);
      assert.equal(message.content, "I look twice.");
      assert.deepEqual(
        message.toolCalls.map(({ function: call }) => JSON.parse(call.arguments)),
        [{ city: "Paris" }, { city: "Paris", days: 3 }],
      );
      const waiting = await tab.agrees();
      assert.deepEqual(waiting.openCalls.map(({ toolCallId, id }) => toolCallId ?? id), calls.map(({ toolCallId }) => toolCallId));

      results(tab, "a map", "sun, sun, rain");
      const second = await tab.run({ tools });
      assert.deepEqual(second.texts, ["Paris is sunny."]);
      assert.deepEqual(second.outcome, success(version));
      await tab.agrees();
      const { messages } = (await mock.requests("browser")).at(-1);
      const [asked, ...answers] = messages.slice(-3);
      assert.deepEqual(answers.map(({ role, content }) => [role, content]), [["tool", "a map"], ["tool", "sun, sun, rain"]]);
      assert.deepEqual(answers.map((m) => m.tool_call_id), asked.tool_calls.map(({ id }) => id), "no call is left without its result");
    });

    test("what the browser was not asked for in time, the model is told", async () => {
      const tab = new Tab(gateway, version, { agent: "browser" });
      await tab.say("How is Paris?", { tools });
      const stream = await tab.say("Never mind", { tools });
      assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
      const { messages } = (await mock.requests("browser")).at(-1);
      const answered = messages.filter(({ role }) => role === "tool").map((m) => m.tool_call_id);
      const called = messages.slice(0, -1).flatMap((m) => m.tool_calls ?? []).map(({ id }) => id);
      assert.deepEqual(answered, called);
    });

    test("a handoff", async () => {
      const tab = new Tab(gateway, version, { agent: "desk-alone" });
      const stream = await tab.say("I want my money back");
      assert.deepEqual(stream.texts, ["One moment.", "You get it back."]);
      assert.deepEqual(stream.outcome, success(version));
      assert.deepEqual(stream.of("SUBAGENT_STARTED").map(({ name }) => name), ["triage", "refunds"]);
      await tab.agrees();
      const [{ tools: offered }] = await mock.requests("triage-alone");
      assert.deepEqual(offered.map(({ function: { name } }) => name), ["handoff_to_refunds"]);
    });

    test("a handoff beside a call of the browser's: the call is answered first", async () => {
      const tab = new Tab(gateway, version, { agent: "desk" });
      const first = await tab.say("I want my money back", { tools });
      const calls = first.of("TOOL_CALL_START").map(({ toolCallId, toolCallName }) => [toolCallName, toolCallId]);
      assert.deepEqual(calls.map(([name]) => name), ["show_map", "handoff_to_refunds"]);
      assert.deepEqual(first.outcome, success(version, [calls[0][1]]));
      await tab.agrees();
      results(tab, "a map");
      const second = await tab.run({ tools });
      assert.deepEqual(second.texts, ["You get it back."]);
      await tab.agrees();
    });

    test("a reply that is data goes into the state, unsaid", async () => {
      const tab = new Tab(gateway, version, { agent: "planner" });
      const stream = await tab.say("Where to?");
      assert.deepEqual(stream.texts, []);
      const { state } = await tab.agrees();
      assert.deepEqual(state, { plan: { city: "Oslo", days: 2 } });
      const { response_format: format } = (await mock.requests("json")).at(-1);
      assert.equal(format.type, "json_schema");
      assert.equal(format.json_schema.strict, true);
      assert.deepEqual(format.json_schema.schema, plan);
    });

    test("data that does not fit is asked for again", async () => {
      const before = (await mock.requests("json-mended")).length;
      const tab = new Tab(gateway, version, { agent: "mended" });
      const stream = await tab.say("Where to?");
      assert.equal((await mock.requests("json-mended")).length - before, 2);
      assert.equal(stream.texts.length, 1);
      assert.deepEqual(JSON.parse(stream.texts[0]), { city: "Oslo", days: 2 });
      const { state } = await tab.agrees();
      assert.deepEqual(state, { plan: { city: "Oslo", days: 2 } });
    });

    test("data that never fits ends the run", async () => {
      const before = (await mock.requests("json-wrong")).length;
      const tab = new Tab(gateway, version, { agent: "wrong" });
      const stream = await tab.say("Where to?");
      assert.equal(stream.last.code, "model_response", stream.text);
      assert.equal((await mock.requests("json-wrong")).length - before, 3);
      assert.equal((await tab.agrees()).status, "failed");
    });
  });
}
