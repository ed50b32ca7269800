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
const mock = await startMock([
  ...turns("boss", call("echo", { message: "hello" }), "All done."),
  { match: { model: "fails", hasToolResult: true, sequenceIndex: 0 }, response: down },
  ...turns("fails", call("echo", { message: "hello" }), "All done."),
  { match: { model: "fails-late", userMessage: "And now?" }, response: { content: "All done." } },
  { match: { model: "fails-late", hasToolResult: true }, response: down },
  { match: { model: "fails-late" }, response: call("clerk", { query: "the draft" }) },
  { match: { model: "clerk" }, response: { content: "I wrote the draft." } },
  { match: { model: "broken" }, response: down },
]);

const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, ["boss", "fails", "fails-late", "clerk", "broken"]),
    mcp: { everything: { command } },
    agents: {
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

test("a model that fails after an answer does not lock the page, and the question is open again", async () => {
  const tab = page("fails");
  const runId = randomUUID();
  await tab.say("See to it", { runId });
  const failed = await answer(tab, runId, { approved: true });
  assert.equal(failed.last.type, "RUN_FINISHED", "an error would lock the page");
  assert.deepEqual(failed.of("CUSTOM").map(({ name, value }) => [name, value.code]), [["gateway.failed", "model_unavailable"]]);
  assert.equal(failed.outcome?.type, "interrupt", failed.text);
  assert.equal((await thread(gateway, tab.threadId)).status, "interrupted");

  const second = await answer(tab, runId, { approved: true });
  assert.deepEqual(second.texts, ["All done."], second.text);
  const { messages, status } = await thread(gateway, tab.threadId);
  assert.equal(status, "idle");
  assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), ["Echo: hello"]);
});

test("a specialist that was let work has worked, though the model fails after it: its answer is used", async () => {
  const tab = page("fails-late");
  const runId = randomUUID();
  await tab.say("See to it", { runId });
  const failed = await answer(tab, runId, { approved: true });
  assert.deepEqual(failed.of("CUSTOM").map(({ name, value }) => [name, value.code]), [["gateway.failed", "model_unavailable"]]);
  assert.equal(failed.last.type, "RUN_FINISHED");
  assert.equal(failed.outcome, undefined);
  assert.deepEqual(tab.questions, []);
  assert.equal((await thread(gateway, tab.threadId)).status, "failed");

  const next = await tab.say("And now?");
  assert.deepEqual(next.texts, ["All done."], next.text);
  assert.equal((await mock.requests("clerk")).length, 1);
  const { messages } = (await mock.requests("fails-late")).at(-1);
  assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), ["I wrote the draft."]);
});

test("a model that fails at once is an error, which the page shows", async () => {
  const tab = page("broken");
  const stream = await tab.say("See to it");
  assert.equal(stream.last.code, "model_unavailable", stream.text);
  assert.equal((await thread(gateway, tab.threadId)).status, "failed");
});
