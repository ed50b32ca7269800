// CopilotKit's own routes before agents with models: approvals as its page answers them, and failures that must not lock it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { resolved, thread } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { command } from "./lib/mcp.mjs";
import { modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const call = (name, args) => ({ toolCalls: [{ name, arguments: args }] });
const down = { status: 500, error: { message: "sk-secret-cause", type: "server_error" } };
const failing = (model, first) => [
  { match: { model, userMessage: "And now?" }, response: { content: "All done." } },
  { match: { model, hasToolResult: true }, response: down },
  { match: { model }, response: first },
];
const mock = await startMock([
  ...turns("boss", call("echo", { message: "hello" }), "All done."),
  ...failing("fails", call("echo", { message: "hello" })),
  ...failing("fails-late", call("clerk", { query: "the draft" })),
  { match: { model: "clerk" }, response: { content: "I wrote the draft." } },
  { match: { model: "broken" }, response: down },
]);

const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, ["boss", "fails", "fails-late", "clerk", "broken"]),
    mcp: { everything: { command } },
    agents: {
      unlucky: {
        type: "script",
        steps: [
          { ask: { key: "size", message: "Which size?", options: ["S", "M"] } },
          { fail: { code: "out_of_cloth", message: "There is no cloth left." } },
        ],
      },
      clerk: { type: "llm", model: "clerk", description: "Writes" },
      boss: { type: "llm", model: "boss", tools: [{ mcp: "everything", only: ["echo"], approve: "always" }] },
      fails: { type: "llm", model: "fails", tools: [{ mcp: "everything", only: ["echo"], approve: "always" }] },
      "fails-late": { type: "llm", model: "fails-late", tools: [{ agent: "clerk" }] },
      broken: { type: "llm", model: "broken" },
    },
  }),
});
after(() => keepsSecrets(gateway));

// CopilotKit has the older client, and resumes under the run id of the question.
const page = (agent, more) => new Tab(gateway, "0.0.59", { path: `/api/copilotkit/agent/${agent}/run`, ...more });
const answer = (tab, runId, payload) => {
  const [{ id, toolCallId }] = tab.questions;
  tab.client.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: JSON.stringify(payload) });
  return tab.run({ runId, resume: [resolved(id, payload)] });
};

test("an approval with edited arguments, beside a result that the page made up", async () => {
  const tab = page("boss");
  const runId = randomUUID();
  const first = await tab.say("See to it", { runId });
  assert.equal(first.outcome?.type, "interrupt", first.text);
  const second = await answer(tab, runId, { approved: true, editedArgs: { message: "farewell" } });
  assert.equal(second.last.type, "RUN_FINISHED");
  assert.deepEqual(second.of("TOOL_CALL_RESULT").map(({ content }) => content), ["Echo: farewell"], second.text);
  assert.deepEqual(second.texts, ["All done."]);
  const { messages } = await thread(gateway, tab.threadId);
  assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), ["Echo: farewell"]);
});

test("what fails over an answer does not lock the page, and asks again", async () => {
  const tab = page("unlucky");
  const runId = randomUUID();
  await tab.say("See to it", { runId });
  const [{ id }] = tab.questions;
  for (let i = 0; i < 2; i++) {
    const failed = await tab.run({ runId, resume: [resolved(id, { value: "M" })] });
    assert.deepEqual(failed.of("CUSTOM").map(({ name, value }) => [name, value.code]), [["gateway.failed", "out_of_cloth"]]);
    assert.equal(failed.last.type, "RUN_FINISHED", "an error would lock the page");
    assert.deepEqual(tab.questions.map((question) => question.id), [id]);
  }
});

for (const [title, agent, result] of [
  ["a tool that was approved of has run", "fails", "Echo: hello"],
  ["a specialist that was let work has worked", "fails-late", "I wrote the draft."],
]) {
  test(`${title}, though the model fails after it: it does so once`, async () => {
    const tab = page(agent);
    const runId = randomUUID();
    await tab.say("See to it", { runId });
    const [question] = tab.questions;
    const failed = await answer(tab, runId, { approved: true });
    assert.deepEqual(failed.of("CUSTOM").map(({ name, value }) => [name, value.code]), [["gateway.failed", "model_unavailable"]]);
    assert.equal(failed.last.type, "RUN_FINISHED");
    assert.equal(failed.outcome, undefined);
    assert.deepEqual(tab.questions, []);
    assert.equal((await thread(gateway, tab.threadId)).status, "failed");
    const again = await tab.run({ runId, resume: [resolved(question.id, { approved: true })] });
    assert.deepEqual(again.of("TOOL_CALL_RESULT"), [], "the same click once more");

    const next = await tab.say("And now?");
    assert.deepEqual(next.texts, ["All done."], next.text);
    assert.equal((await mock.requests("clerk")).length, agent === "fails" ? 0 : 1);
    const { messages } = (await mock.requests(agent)).at(-1);
    assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), [result]);
    const after = await thread(gateway, tab.threadId);
    assert.deepEqual(after.messages.filter(({ role }) => role === "tool").map(({ content }) => content), [result]);
  });
}

test("a model that fails at once is an error, which the page shows", async () => {
  const tab = page("broken");
  const stream = await tab.say("See to it");
  assert.equal(stream.last.code, "model_unavailable", stream.text);
  assert.equal((await thread(gateway, tab.threadId)).status, "failed");
});
