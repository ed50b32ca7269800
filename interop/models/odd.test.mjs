// Conversations through a server that is only nearly OpenAI's: tools, a schema, and a manager that is a model.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { startOdd } from "./lib/odd.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const choice = (next_speaker) => ({ content: { reason: "because", terminate: false, next_speaker, message: null, instruction: null } });
const looksTwice = {
  content: "I look twice.",
  reasoning: "Two clerks know more than one.",
  toolCalls: [
    { name: "clerk", arguments: { query: "first" } },
    { name: "clerk", arguments: { query: "second" } },
  ],
};

const mock = await startMock([
  ...turns("tools", looksTwice, "Nothing was found, twice."),
  { match: { model: "form" }, response: { content: { city: "Oslo", days: 2 } } },
  { match: { model: "chief" }, response: choice("writer") },
  { match: { model: "writer" }, response: { content: "A few lines." } },
]);
const odd = await startOdd(mock);

const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(odd.url, ["tools", "form", "chief", "writer"], { echo_reasoning: "on", accept_unfinished: "on" }),
    agents: {
      clerk: { type: "script", description: "Looks things up", steps: [{ say: "I found nothing." }] },
      tools: { type: "llm", model: "tools", tools: [{ agent: "clerk", approve: "never" }] },
      form: {
        type: "llm",
        model: "form",
        store: "/plan",
        strict: true,
        schema: {
          type: "object",
          required: ["city", "days"],
          properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
          additionalProperties: false,
        },
      },
      office: {
        type: "groupchat",
        manager: { type: "llm", model: "chief" },
        max_rounds: 1,
        participants: [{ name: "writer", description: "Writes", type: "llm", model: "writer" }],
      },
    },
  }),
});
after(() => keepsSecrets(gateway));

// CopilotKit has the older client.
const pages = [
  ...versions.map((version) => ({ name: version, open: (agent) => new Tab(gateway, version, { agent }) })),
  { name: "CopilotKit's routes", open: (agent) => new Tab(gateway, "0.0.59", { path: `/api/copilotkit/agent/${agent}/run` }) },
];

for (const { name, open } of pages) {
  describe(name, () => {
    test("tools, and the reasoning goes back with their results", async () => {
      const tab = open("tools");
      const stream = await tab.say("Look it up");
      assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
      assert.deepEqual(stream.texts.filter((words) => words !== "I found nothing."), ["I look twice.", "Nothing was found, twice."]);
      assert.equal(stream.of("TOOL_CALL_START").length, 2);
      const { messages } = odd.accepted.at(-1);
      const [made, ...results] = messages.slice(-3);
      assert.equal(made.reasoning_content, "Two clerks know more than one.");
      assert.deepEqual(results.map(({ tool_call_id }) => tool_call_id), made.tool_calls.map(({ id }) => id));

      const again = await tab.say("Once more");
      assert.equal(again.last.type, "RUN_FINISHED", again.text);
      const earlier = odd.accepted.at(-1).messages.filter((message) => message.tool_calls);
      assert.deepEqual(earlier.map((message) => message.reasoning_content), Array(earlier.length).fill("Two clerks know more than one."), "calls of an earlier turn");
    });

    test("a reply by a schema that the server does not know", async () => {
      const tab = open("form");
      const stream = await tab.say("Where to?");
      assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
      assert.deepEqual(tab.state.plan, { city: "Oslo", days: 2 });
      const { messages, response_format } = odd.accepted.at(-1);
      assert.equal(response_format, undefined);
      assert.match(messages[0].content, /"minimum":1/);
    });

    test("a manager that is a model", async () => {
      const stream = await open("office").say("Write");
      assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
      assert.deepEqual(stream.texts, ["A few lines."]);
    });
  });
}

test("what the server refuses is found out once, and the log says so", async () => {
  const before = odd.refused.length;
  assert.ok(before > 0);
  for (const agent of ["tools", "form", "office"]) {
    const stream = await new Tab(gateway, "1.0.0", { agent }).say("Once more");
    assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
  }
  assert.equal(odd.refused.length, before, `refused again: ${odd.refused.slice(before)}`);
  assert.deepEqual([...new Set(odd.refused)].sort(), ["response_format", "stream_options"]);
  for (const model of ["tools", "form", "chief", "writer"]) {
    const said = gateway.log().split("\n").filter((line) => line.includes("does not take everything") && line.includes(`aimock/${model}`));
    assert.ok(said.length >= 1 && said.length <= 2, said.join("\n")); // one of stream_options, one of response_format
  }
});
