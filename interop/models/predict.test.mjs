// State that follows what a model writes: of a tool of the page, and of a real MCP server's, for the clients of both versions.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { ask, thread, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { command } from "./lib/mcp.mjs";
import { modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const story =
  "Once upon a time, in a land far away, there lived a magnificent dragon named Atlantis. Atlantis was known throughout the realm for its " +
  "shimmering scales that reflected the light of a thousand stars. Villagers would gather to watch Atlantis perform its aerial dances.";
const write = { toolCalls: [{ name: "write_document", arguments: JSON.stringify({ document: story }) }] };
const echo = { toolCalls: [{ name: "echo", arguments: JSON.stringify({ message: story }) }] };

const ways = versions.flatMap((version) => ["/agents/NAME", "/api/copilotkit/agent/NAME/run"].map((route) => [version, route]));

const mock = await startMock([
  ...turns("writes", write, "I wrote of Atlantis."),
  ...turns("echoes", echo, "Done."),
  ...turns("local", { toolCalls: [{ ...write.toolCalls[0], name: "write_document_local" }] }, "Done.", { userMessage: "dragon called Atlantis" }),
  ...ways.map(([version, route]) => ({
    match: { model: "local", userMessage: `Change dragon name to Lola, ${version}${route}`, sequenceIndex: 0 },
    response: { toolCalls: [{ name: "write_document_local", arguments: JSON.stringify({ document: story.replaceAll("Atlantis", "Lola") }) }] },
  })),
  { match: { model: "local", userMessage: "Change dragon name to Lola" }, response: { content: "Done." } },
  { match: { model: "slow" }, response: write, chunkSize: 5, latency: 50 },
  { match: { model: "breaks" }, response: write, chunkSize: 10, latency: 20, truncateAfterChunks: 12 },
].map((fixture) => ({ chunkSize: 7, ...fixture })));

const predict = [{ tool: "write_document", argument: "document", path: "/document" }];
const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, ["writes", "echoes", "breaks", "slow", "local"]),
    mcp: { everything: { command } },
    agents: {
      predictive_state_updates: { type: "llm", model: "writes", predict },
      announced: { type: "llm", model: "writes", predict, predict_event: "on" },
      // As LangGraph's and .NET's examples do it: the tool is the server's, and lets the page ask.
      local: {
        type: "llm",
        model: "local",
        predict: [{ tool: "write_document_local", argument: "document", path: "/document" }],
        tools: [
          {
            name: "write_document_local",
            description: "Writes the document",
            parameters: { type: "object", required: ["document"], properties: { document: { type: "string" } } },
            steps: [{ tool: { name: "confirm_changes" } }],
          },
        ],
      },
      breaks: { type: "llm", model: "breaks", predict },
      slow: { type: "llm", model: "slow", predict },
      echoes: {
        type: "llm",
        model: "echoes",
        tools: [{ mcp: "everything", only: ["echo"], approve: "always" }],
        predict: [{ tool: "echo", argument: "message", path: "/draft/text" }],
      },
    },
  }),
});
after(() => keepsSecrets(gateway));

const tools = [{ name: "write_document", description: "Presents a document", parameters: { type: "object", properties: { document: { type: "string" } } } }];

/** A page, and the values that it has seen where a function of its state looks, each once. */
function page(version, path, look) {
  const tab = new Tab(gateway, version, { path });
  const seen = [];
  tab.client.subscribe({
    onStateChanged: ({ state }) => {
      const value = look(state);
      if (value !== undefined && value !== seen.at(-1)) seen.push(value);
    },
  });
  return { tab, seen };
}

/** Fails unless the values grow to the whole text, in some steps and not in one for each piece of the stream. */
function grows(seen, whole) {
  assert.ok(seen.length >= 5 && seen.length <= 30, `the page saw ${seen.length} values`);
  for (const [i, value] of seen.entries()) assert.ok(whole.startsWith(value) && value.length > (seen[i - 1]?.length ?? -1), `value ${i}: ${value}`);
  assert.equal(seen.at(-1), whole);
}

for (const [version, route] of ways) {
  const at = (name) => route.replace("NAME", name);

  test(`${version}: a document grows in a page's state on ${route}`, async () => {
    const { tab, seen } = page(version, at("predictive_state_updates"), (state) => state.document);
    const stream = await tab.say("Give me a story for a dragon called Atlantis", { tools });
    grows(seen, story);
    assert.deepEqual(stream.of("CUSTOM"), []);
    assert.equal((await tab.agrees()).state.document, story);

    const [{ id }] = tab.messages.at(-1).toolCalls;
    const accepted = version === "1.0.0";
    tab.client.addMessage({ id: randomUUID(), role: "tool", toolCallId: id, content: JSON.stringify({ accepted }) });
    const second = await tab.run({ tools });
    assert.deepEqual(second.texts, ["I wrote of Atlantis."], second.text);
    assert.deepEqual((await thread(gateway, tab.threadId)).state, accepted ? { document: story } : {});
    assert.deepEqual(tab.state, accepted ? { document: story } : {});
  });

  test(`${version}: a tool of the server lets the page ask, once for each draft, on ${route}`, async () => {
    const { tab, seen } = page(version, at("local"), (state) => state.document);
    const confirm = [{ name: "confirm_changes", description: "Asks", parameters: { type: "object", properties: {} } }];
    const lola = story.replaceAll("Atlantis", "Lola");
    for (const [words, draft, accepted, left] of [
      ["Give me a story for a dragon called Atlantis in document", story, true, story],
      [`Change dragon name to Lola, ${version}${route}`, lola, false, story],
    ]) {
      await tab.say(words, { tools: confirm });
      assert.equal(seen.at(-1), draft);
      const call = tab.messages.flatMap(({ toolCalls = [] }) => toolCalls).findLast((one) => one.function.name === "confirm_changes");
      tab.client.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: JSON.stringify({ accepted }) });
      const second = await tab.run({ tools: confirm });
      assert.deepEqual(second.texts, ["Done."], second.text);
      assert.deepEqual(tab.state, { document: left });
      assert.deepEqual((await thread(gateway, tab.threadId)).state, { document: left });
    }
  });

  test(`${version}: a page that predicts by itself is told what on ${route}`, async () => {
    const { tab, seen } = page(version, at("announced"), (state) => state.document);
    const stream = await tab.say("Give me a story", { tools });
    const place = (type) => stream.events.findIndex((event) => event.type === type);
    assert.deepEqual(stream.of("CUSTOM").map(({ name, value }) => [name, value]), [
      ["PredictState", [{ state_key: "document", tool: "write_document", tool_argument: "document" }]],
    ]);
    assert.ok(place("CUSTOM") < place("TOOL_CALL_START"));
    grows(seen, story);
  });

  test(`${version}: what a person decides of a call is in the state on ${route}`, async () => {
    for (const [payload, want] of [
      [{ approved: true }, { draft: { text: story } }],
      [{ approved: false }, {}],
      [{ approved: true, editedArgs: { message: "mine" } }, { draft: { text: "mine" } }],
    ]) {
      const { tab, seen } = page(version, at("echoes"), (state) => state.draft?.text);
      const first = await tab.say("Echo");
      grows(seen, story);
      const [{ id }] = first.outcome.interrupts;
      const second = await tab.run({ resume: [{ interruptId: id, status: "resolved", payload }], ...(route.includes("copilotkit") && { runId: first.last.runId }) });
      assert.equal(second.last.type, "RUN_FINISHED", second.text);
      assert.deepEqual((await thread(gateway, tab.threadId)).state, want);
      assert.deepEqual(tab.state, want);
    }
  });

  test(`${version}: a run that is stopped leaves nothing on ${route}`, async () => {
    const { tab } = page(version, at("slow"), (state) => state.document);
    const middle = tab.until((text) => text.includes('"document":"Once'));
    const run = tab.say("Give me a story", { tools });
    await middle;
    const { body } = await ask(`${gateway.url}/threads/${tab.threadId}/stop`, { method: "POST" });
    assert.deepEqual(body, { stopped: true });
    await run;
    assert.deepEqual(tab.state, {});
    assert.deepEqual((await thread(gateway, tab.threadId)).state, {});
  });

  test(`${version}: a reply that breaks off leaves nothing on ${route}`, async () => {
    const { tab, seen } = page(version, at("breaks"), (state) => state.document);
    const stream = await tab.say("Give me a story", { tools });
    assert.ok(seen.length > 0, "the page saw nothing of it");
    assert.equal(stream.last.type, "RUN_ERROR", stream.text);
    assert.deepEqual(tab.state, {});
    assert.deepEqual((await thread(gateway, tab.threadId)).state, {});
  });
}
