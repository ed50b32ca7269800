// Everything at once: approvals, the browser's calls and specialists' questions in one pause; other dialects and routes;
// pictures; a process that dies between two of a model's replies.

import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { after, describe, test } from "node:test";
import { ask, attach, inputOf, post, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { reservePorts } from "../lib/ports.mjs";
import { until } from "../lib/until.mjs";
import { startFaults } from "./lib/faults.mjs";
import { command } from "./lib/mcp.mjs";
import { modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { startRedis } from "./lib/redis.mjs";
import { changed, keepsSecrets, Tab } from "./lib/tab.mjs";

const calls = (...toolCalls) => ({ content: "I see to it.", toolCalls: toolCalls.map(([name, args = {}]) => ({ name, arguments: args })) });
const mock = await startMock([
  ...turns("everything", calls(["echo", { message: "hello" }], ["show_map", { city: "Paris" }], ["tailor", { query: "a coat" }]), "All done."),
  ...turns("one", calls(["echo", { message: "one" }]), "One done."),
  ...turns("other", calls(["echo", { message: "other" }]), "The other done."),
  { match: { model: "sees" }, response: { content: "A red dot." } },
  { match: { model: "counts", turnIndex: 0 }, response: { content: "First." } },
  { match: { model: "counts", turnIndex: 1 }, response: { content: "Second." } },
  { match: { model: "counts", turnIndex: 2 }, response: { content: "Third." } },
  // Its first reply calls a tool, its second falls silent.
  { match: { model: "dies", hasToolResult: false }, response: calls(["echo", { message: "hello" }]) },
  { match: { model: "x-silent-once" }, response: { content: "Half of what there is to say." } },
  { match: { model: "x-silent" }, response: { content: "Half of what there is to say." } },
]);
const spoilt = await startFaults(mock);
const redis = await startRedis();

const echo = (more = {}) => ({ mcp: "everything", only: ["echo"], ...more });
const llm = (model, more = {}) => ({ type: "llm", model, ...more });
const team = teamFile({
  models: {
    ...modelsAt(mock.url, ["everything", "one", "other", "sees", "counts", "dies"]),
    ...modelsAt(spoilt.url, ["x-silent", "x-silent-once"], { idle: "10m", timeout: "10m" }),
  },
  mcp: { everything: { command } },
  agents: {
    tailor: {
      type: "script",
      description: "Makes coats",
      steps: [{ ask: { key: "size", message: "Which size?", options: ["S", "M"] } }, { say: "A coat of size ${answers.size}." }],
    },
    everything: llm("everything", { tools: [echo({ approve: "always" }), { agent: "tailor", approve: "never" }] }),
    both: {
      type: "concurrent",
      participants: [
        { name: "one", ...llm("one", { tools: [echo({ approve: "always" })] }) },
        { name: "other", ...llm("other", { tools: [echo({ approve: "always" })] }) },
      ],
    },
    sees: llm("sees"),
    counts: llm("counts"),
    patient: llm("x-silent"),
    relay: {
      type: "groupchat",
      manager: { type: "sequential" },
      participants: [
        { name: "worker", ...llm("one", { tools: [echo({ approve: "never" })] }) },
        { name: "talker", ...llm("x-silent-once") },
      ],
    },
  },
});
const args = ["-store", redis.url, "-lease", "1s"];
const [port] = await reservePorts(1);
// What a test starts would end with the test.
const start = AsyncResource.bind(() => startGateway({ team, args, port }));
let gateway = await start();
after(() => keepsSecrets(gateway));

const tools = [{ name: "show_map", description: "Shows a map", parameters: { type: "object" } }];
const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);
const payloads = { "May I call echo?": { approved: true, editedArgs: { message: "farewell" } }, "Which size?": { value: "M" } };

for (const version of versions) {
  describe(version, () => {
    test("an approval, the browser's call and a specialist's question in one pause", async () => {
      const tab = new Tab(gateway, version, { agent: "everything" });
      const first = await tab.say("See to it", { tools });
      assert.equal(first.outcome?.type, "interrupt", first.text);
      assert.deepEqual(tab.questions.map(({ message }) => message).toSorted(), ["May I call echo?", "Which size?"]);
      await tab.agrees();
      // The browser's result comes by itself first, and waits for the answers.
      const call = first.of("TOOL_CALL_START").find(({ toolCallName }) => toolCallName === "show_map");
      const result = { id: randomUUID(), role: "tool", toolCallId: call.toolCallId, content: "a map" };
      tab.client.addMessage(result);
      const second = await tab.run({ tools, resume: tab.questions.map(({ id, message }) => ({ interruptId: id, status: "resolved", payload: payloads[message] })) });
      assert.deepEqual(second.outcome?.type ?? "success", "success", second.text);
      assert.deepEqual(second.texts.at(-1), "All done.");
      const { messages } = await tab.agrees();
      const asked = messages.find(({ toolCalls }) => toolCalls).toolCalls;
      const answers = asked.map(({ id }) => messages.filter(({ toolCallId }) => toolCallId === id).map(({ content }) => content));
      assert.deepEqual(answers, [["Echo: farewell"], ["a map"], ["A coat of size M."]]);
      const { messages: told } = (await mock.requests("everything")).at(-1);
      assert.deepEqual(told.filter(({ role }) => role === "tool").map(({ content }) => content), [changed + "Echo: farewell", "a map", "A coat of size M."]);
    });

    test("the answers without the browser's result: it was not answered", async () => {
      const tab = new Tab(gateway, version, { agent: "everything" });
      await tab.say("See to it", { tools });
      const stream = await tab.run({ tools, resume: tab.questions.map(({ id, message }) => ({ interruptId: id, status: "resolved", payload: payloads[message] })) });
      assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
      const { messages } = (await mock.requests("everything")).at(-1);
      assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), [changed + "Echo: farewell", "not answered", "A coat of size M."]);
      await tab.agrees();
    });

    test("two at work at once ask for approval at once", async () => {
      const tab = new Tab(gateway, version, { agent: "both" });
      await tab.say("See to it");
      assert.equal(tab.questions.length, 2);
      await tab.agrees();
      const byPath = (one, other) => tab.questions.map(({ metadata }) => (metadata.groupchat.path === "one" ? one : other));
      const stream = await tab.answer(...byPath({ approved: true, editedArgs: { message: "edited" } }, { approved: false }));
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual(results(stream).toSorted(), ["Echo: edited", "not approved"]);
      assert.deepEqual(stream.texts.toSorted(), ["One done.", "The other done."]);
      await tab.agrees();
    });

    test("an approval in the legacy dialect", async () => {
      const threadId = randomUUID();
      const path = "/agents/both?interrupts=legacy";
      const first = (await post(gateway, version, inputOf(version, { threadId, messages: [user("See to it")] }), { path })).check();
      const cards = first.of("CUSTOM").filter(({ name }) => name === "on_interrupt").map(({ value }) => JSON.parse(value));
      assert.equal(cards.length, 2, first.text);
      assert.equal(first.outcome, undefined);
      const resume = cards.map(({ id }) => ({ interruptId: id, status: "resolved", payload: JSON.stringify({ approved: true }) }));
      const second = (await post(gateway, version, inputOf(version, { threadId, forwardedProps: { command: { resume } } }), { path })).check();
      assert.deepEqual(results(second).toSorted(), ["Echo: one", "Echo: other"], second.text);
    });

    test("a picture reaches the model", async () => {
      const tab = new Tab(gateway, version, { agent: "sees" });
      const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
      tab.client.addMessage({
        id: randomUUID(),
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", source: { type: "data", value: dot, mimeType: "image/png" } },
        ],
      });
      const stream = await tab.run();
      assert.deepEqual(stream.texts, ["A red dot."]);
      const [{ content }] = (await mock.requests("sees")).at(-1).messages.slice(-1);
      assert.deepEqual(content.map(({ type }) => type), ["text", "image_url"]);
      assert.equal(content[1].image_url.url, `data:image/png;base64,${dot}`);
      await tab.agrees();
    });

    test("what was regenerated or cut is not told to the model", async () => {
      const tab = new Tab(gateway, version, { agent: "counts" });
      await tab.say("one");
      await tab.say("two");
      const told = async () => (await mock.requests("counts")).at(-1).messages.map(({ content }) => content);
      assert.deepEqual(await told(), ["one", "First.", "two"]);
      const kept = tab.messages.slice(0, 3);
      const input = inputOf(version, { threadId: tab.threadId, messages: kept, forwardedProps: { gateway: { regenerate: true } } });
      (await post(gateway, version, input, { path: "/agents/counts" })).check();
      assert.deepEqual(await told(), ["one", "First.", "two"]);
      const edited = inputOf(version, { threadId: tab.threadId, messages: [...kept.slice(0, 2), user("three")], forwardedProps: { gateway: { edit: true } } });
      (await post(gateway, version, edited, { path: "/agents/counts" })).check();
      assert.deepEqual(await told(), ["one", "First.", "three"]);
      assert.deepEqual((await thread(gateway, tab.threadId)).messages.map(({ content }) => content), ["one", "First.", "three", "Second."]);
    });

    test("to stop a run is to stop its model, and what it said stays", async () => {
      const tab = new Tab(gateway, version, { agent: "patient" });
      const began = tab.until((text) => text.includes("TEXT_MESSAGE_CONTENT"));
      const run = tab.say("Go on");
      await began;
      assert.equal(spoilt.open(), 1);
      assert.deepEqual((await ask(`${gateway.url}/threads/${tab.threadId}/stop`, { method: "POST" })).body, { stopped: true });
      await run;
      await until("the model's reply is closed", () => spoilt.open() === 0);
      const { status, messages } = await tab.agrees();
      assert.equal(status, "idle");
      assert.equal(messages.length, 2);
      assert.ok("Half of what there is to say.".startsWith(messages[1].content) && messages[1].content !== "");
    });
  });
}

test("a process dies while a model speaks: nothing is called or asked twice, and the run comes to its end", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "relay" });
  const hangUp = new AbortController();
  const response = await fetch(`${gateway.url}/agents/relay?disconnect=detach`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(inputOf("1.0.0", { threadId: tab.threadId, messages: [user("Go on")] })),
    signal: hangUp.signal,
  });
  let before = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    before += piece;
    if (before.includes("Half of")) break;
  }
  assert.match(before, /Echo: one/);
  assert.match(before, /One done\./);
  const asked = (await mock.requests("one")).length;

  await gateway.kill();
  gateway = await start();
  const stream = await attach(gateway, "1.0.0", tab.threadId);
  stream.check();
  assert.deepEqual(stream.last.type, "RUN_FINISHED", stream.text);
  const { messages, status, usage } = await thread(gateway, tab.threadId);
  assert.equal(status, "idle");
  assert.deepEqual(messages.map(({ content }) => content), ["Go on", "I see to it.", "Echo: one", "One done.", "Half of what there is to say."]);
  assert.equal((await mock.requests("one")).length, asked, "what was said and committed is not asked for again");
  assert.ok(usage.length > 0);
});
