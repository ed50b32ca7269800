// Tools that a person has to approve of: several in one pause, arguments edited, declined, called off, remembered.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ask, cancelled, resolved, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { modelsAt, startMock, teamFile } from "./lib/mock.mjs";
import { changed, keepsSecrets, Tab } from "./lib/tab.mjs";

const mock = await startMock([
  {
    match: { model: "boss", hasToolResult: false },
    response: {
      content: "I ask them both.",
      toolCalls: [
        { name: "clerk", arguments: { query: "the first draft" } },
        { name: "porter", arguments: { query: "the heavy trunk" } },
      ],
    },
  },
  { match: { model: "boss", hasToolResult: true }, response: { content: "They are done." } },
  { match: { model: "clerk", userMessage: "the better draft" }, response: { content: "I wrote the better draft." } },
  { match: { model: "clerk" }, response: { content: "I wrote the first draft." } },
  { match: { model: "porter" }, response: { content: "I carried it." } },
]);

const llm = (model, description, more = {}) => ({ type: "llm", model, description, ...more });
const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, ["boss", "clerk", "porter"]),
    agents: {
      clerk: llm("clerk", "Writes"),
      porter: llm("porter", "Carries"),
      boss: llm("boss", "Decides", { tools: [{ agent: "clerk" }, { agent: "porter" }] }),
      trusting: llm("boss", "Decides", { tools: [{ agent: "clerk" }, { agent: "porter" }], approve: ["porter"] }),
      lasting: llm("boss", "Decides", { tools: [{ agent: "clerk" }, { agent: "porter" }], remember: ["thread", "principal"] }),
      careless: llm("boss", "Decides", { tools: [{ agent: "clerk" }, { agent: "porter" }], approve: "never" }),
    },
  }),
});
after(() => keepsSecrets(gateway));

for (const version of versions) {
  describe(version, () => {
    const asked = async (agent = "boss") => {
      const tab = new Tab(gateway, version, { agent });
      const stream = await tab.say("Get it done");
      assert.equal(stream.outcome?.type, "interrupt", stream.text);
      return { tab, stream };
    };
    const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);
    /** What the model was told of its calls: [arguments, result]. */
    const told = async () => {
      const { messages } = (await mock.requests("boss")).at(-1);
      const answers = messages.filter(({ role }) => role === "tool");
      return messages
        .flatMap((message) => message.tool_calls ?? [])
        .map(({ id, function: call }) => [JSON.parse(call.arguments).query, answers.find((m) => m.tool_call_id === id)?.content]);
    };

    test("two approvals in one pause, one with edited arguments, one declined", async () => {
      const { tab, stream } = await asked();
      assert.deepEqual(tab.questions.map(({ reason, toolCallId }) => [reason, toolCallId]), stream.of("TOOL_CALL_START").map(({ toolCallId }) => ["tool_call", toolCallId]));
      for (const { responseSchema } of tab.questions) assert.deepEqual(Object.keys(responseSchema.properties).toSorted(), ["approved", "editedArgs", "reason"]);
      await tab.agrees();
      for (const { metadata } of tab.questions) assert.equal(metadata.value.why, "I ask them both.");
      assert.deepEqual(tab.questions.map(({ metadata }) => [metadata.value.tool, metadata.value.arguments.query]), [["clerk", "the first draft"], ["porter", "the heavy trunk"]]);
      const next = await tab.answer({ approved: true, editedArgs: { query: "the better draft" } }, { approved: false, reason: "too heavy" });
      assert.deepEqual(next.outcome, { type: "success" }, next.text);
      assert.deepEqual(next.of("TOOL_CALL_START"), [], "the calls were shown before");
      const no = "not approved. The person said: too heavy";
      assert.deepEqual(results(next), ["I wrote the better draft.", no]);
      assert.deepEqual(next.of("TOOL_CALL_RESULT").map(({ metadata }) => metadata.approval), [
        { decision: "edited", arguments: { query: "the better draft" }, by: "local" },
        { decision: "declined", reason: "too heavy", by: "local" },
      ]);
      assert.equal(next.texts.at(-1), "They are done.");
      assert.deepEqual(await told(), [
        ["the better draft", changed + "I wrote the better draft."],
        ["the heavy trunk", no],
      ]);
      await tab.agrees();
    });

    test("both approved, by a page that makes results up", async () => {
      const { tab } = await asked();
      const calls = tab.questions.map(({ toolCallId }) => toolCallId);
      const page = tab.another();
      for (const toolCallId of calls) page.client.addMessage({ id: `made-up-${toolCallId}`, role: "tool", toolCallId, content: '{"approved":true}' });
      const next = await page.run({ resume: tab.questions.map(({ id }) => resolved(id, { approved: true })) });
      assert.deepEqual(results(next), ["I wrote the first draft.", "I carried it."]);
      const fresh = new Tab(gateway, version, { agent: "boss", threadId: tab.threadId });
      await fresh.run();
      const { messages } = await fresh.agrees();
      assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), ["I wrote the first draft.", "I carried it."]);
    });

    test("both called off", async () => {
      const { tab } = await asked();
      const next = await tab.run({ resume: tab.questions.map(({ id }) => cancelled(id)) });
      assert.deepEqual(next.outcome, { type: "success" }, next.text);
      assert.deepEqual(results(next), ["not approved", "not approved"]);
      await tab.agrees();
    });

    test("edited arguments that do not fit are refused, and the question stays open", async () => {
      const { tab } = await asked();
      const open = tab.questions;
      const again = await tab.answer({ approved: true, editedArgs: { query: 5 } }, { approved: true });
      assert.equal(again.last.code, "resume_invalid", again.text);
      const next = await tab.run({ resume: open.map(({ id }, i) => resolved(id, { approved: true, ...(i === 0 && { editedArgs: { query: "the better draft" } }) })) });
      assert.deepEqual(next.outcome, { type: "success" }, next.text);
      assert.deepEqual(await told(), [
        ["the better draft", changed + "I wrote the better draft."],
        ["the heavy trunk", "I carried it."],
      ]);
      await tab.agrees();
    });

    test("one of two needs approval", async () => {
      const { tab, stream } = await asked("trusting");
      assert.equal(tab.questions.length, 1);
      const next = await tab.answer({ approved: true });
      assert.deepEqual([...results(stream), ...results(next)].toSorted(), ["I carried it.", "I wrote the first draft."]);
      await tab.agrees();
    });

    test("approvals that are remembered, and revoked", async () => {
      const { tab } = await asked("lasting");
      const path = `${gateway.url}/threads/${tab.threadId}/approvals`;
      const [{ metadata, responseSchema }] = tab.questions;
      assert.deepEqual([metadata.value.remember, responseSchema.properties.remember.enum], [["thread", "principal"], ["thread", "principal"]]);
      await tab.answer({ approved: true, remember: "thread" }, { approved: true });
      const { approvals } = (await ask(path)).body;
      assert.deepEqual(approvals.map(({ agent, tool, scope, threadId }) => [agent, tool, scope, threadId]), [["lasting", "clerk", "thread", tab.threadId]]);

      const second = await tab.say("Get it done again");
      assert.deepEqual(tab.questions.map(({ metadata: { value } }) => value.tool), ["porter"], second.text);
      const [{ metadata: told }] = second.of("TOOL_CALL_RESULT");
      assert.deepEqual(told.approval, { decision: "remembered", remember: "thread", id: approvals[0].id });
      await tab.answer({ approved: false });
      await tab.agrees();

      assert.equal((await ask(`${path}/${approvals[0].id}`, { method: "DELETE" })).status, 204);
      assert.deepEqual((await ask(path)).body.approvals, []);
      await tab.say("And again");
      assert.equal(tab.questions.length, 2);
      await tab.answer({ approved: true, remember: "principal" }, { approved: false });
      await tab.agrees();

      const other = new Tab(gateway, version, { agent: "lasting" });
      await other.say("Get it done");
      assert.deepEqual(other.questions.map(({ metadata: { value } }) => value.tool), ["porter"]);
      const mine = (await ask(`${gateway.url}/me/approvals`)).body.approvals;
      assert.equal((await ask(`${gateway.url}/me/approvals/${mine[0].id}`, { method: "DELETE" })).status, 204);
      await other.answer({ approved: false });
      await other.say("And again");
      assert.equal(other.questions.length, 2);
    });

    test("none needs approval", async () => {
      const tab = new Tab(gateway, version, { agent: "careless" });
      const stream = await tab.say("Get it done");
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual(results(stream), ["I wrote the first draft.", "I carried it."]);
      await tab.agrees();
    });
  });
}
