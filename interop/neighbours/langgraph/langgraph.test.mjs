// LangGraph.js' own API server as a member of a team, by its HTTP API: nothing is between the two.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cancelled, inputOf, resolved, thread, user } from "../../lib/client.mjs";
import { startGateway } from "../../lib/gateway.mjs";
import { startProxy } from "../../lib/proxy.mjs";
import { until } from "../../lib/until.mjs";
import { key, startMock } from "../../models/lib/mock.mjs";
import { startProgram } from "../../models/lib/program.mjs";
import { Tab } from "../../models/lib/tab.mjs";
import { row } from "../lib/table.mjs";
import { calls, cost, says, startKeeping, teamOf, tokens } from "../lib/team.mjs";

const skies = "Blue skies over all of Paris, and so it stays until the evening.";
const seen = row("LangGraph.js 1.7, its API server");
const mock = await startMock([
  { match: { userMessage: "weather", hasToolResult: false }, response: calls("weather", { city: "Paris" }) },
  { match: { userMessage: "weather", toolResultContains: "blue" }, response: says(skies) },
  { match: { userMessage: "map", hasToolResult: false }, response: calls("show_map", { city: "Paris" }) },
  { match: { userMessage: "map", toolResultContains: "a city" }, response: says("You see a city.") },
  { match: { userMessage: "research" }, response: says("It is in the books.") },
  { match: { userMessage: "Thanks" }, response: says("My pleasure.") },
]);
const dir = mkdtempSync(join(tmpdir(), "agui-langgraph-"));
after(() => rmSync(dir, { recursive: true }));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const program = fileURLToPath(new URL("server.mjs", import.meta.url));
// Runs that take their time wait here.
const held = [];
const gate = createServer((_, response) => void held.push(response)).listen(0, "127.0.0.1");
await once(gate, "listening");
after(() => {
  gate.closeAllConnections();
  gate.close();
});
const { ready } = await startProgram(process.execPath, [program, dir], {
  ready: /listening on (http:\S+)/,
  env: { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key, GATE_URL: `http://127.0.0.1:${gate.address().port}` },
});

/** Lets the run go on that waits at the gate. */
async function release() {
  await until("a run waits at the gate", () => held.length > 0);
  for (const response of held.splice(0)) response.end();
}

const entry = { type: "langgraph", url: ready[1], assistant: "helper" };
const team = teamOf(entry);
const gateway = await startGateway({ team });
const newTab = (at = gateway, more) => new Tab(at, "1.0.0", { agent: "team", ...more });

/** What the server answers to a request of its API. */
async function langgraph(path, body) {
  const response = await fetch(ready[1] + path, {
    method: body ? "POST" : "GET",
    headers: { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return response.json();
}

test("its tool and its words, and what they cost", async () => {
  const tab = newTab();
  const stream = await tab.say("What is the weather?");
  assert.deepEqual(stream.texts, [skies], stream.text);
  assert.ok(stream.of("TEXT_MESSAGE_CONTENT").length > 1, "the words are streamed");
  assert.deepEqual(stream.of("TEXT_MESSAGE_START").map(({ name }) => name), ["helper"]);
  seen.shows("text", "yes");
  assert.deepEqual(stream.of("TOOL_CALL_START").map(({ toolCallName }) => toolCallName), ["weather"]);
  assert.equal(stream.of("TOOL_CALL_ARGS").map(({ delta }) => delta).join(""), '{"city":"Paris"}');
  assert.deepEqual(stream.of("TOOL_CALL_RESULT").map(({ content }) => JSON.parse(content)), [{ city: "Paris", sky: "blue" }]);
  seen.shows("tools", "yes");
  const request = cost.prompt + cost.completion;
  assert.equal(tokens(stream.last.usage), 2 * request, "one run, two requests of the model");
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
  assert.equal(tokens((await tab.agrees()).usage), 3 * request);
  const asked = (await mock.requests("helper")).map(({ messages }) => messages).find((m) => m.at(-1).content === "Thanks");
  assert.deepEqual(asked.map(({ role }) => role), ["user", "assistant", "tool", "assistant", "user"], "nothing is there twice");
});

test("its state is the value at its place, both ways", async () => {
  const tab = newTab(gateway, { state: { helper: { topic: "rain" }, other: 1 } });
  await tab.say("Thanks");
  assert.deepEqual((await tab.agrees()).state, { helper: { topic: "rain", heard: "rain" }, other: 1 });
  seen.shows("state", "yes");
});

test("it calls a tool of the page", async () => {
  const tab = newTab();
  const tools = [{ name: "show_map", description: "Shows a map", parameters: { type: "object" } }];
  const stream = await tab.say("Show me a map", { tools });
  const [{ toolCallId }] = stream.of("TOOL_CALL_START");
  assert.deepEqual(stream.outcome.pendingToolCallIds, [toolCallId]);
  tab.client.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: "a city" });
  assert.deepEqual((await tab.run({ tools })).texts, ["You see a city."]);
  await tab.agrees();
});

test("a subgraph is a subagent", async () => {
  const tab = newTab();
  const stream = await tab.say("Please research this");
  assert.deepEqual(stream.texts, ["It is in the books."], stream.text);
  assert.deepEqual(stream.of("SUBAGENT_STARTED").map(({ name }) => name), ["helper", "researcher"]);
  assert.deepEqual(stream.of("TEXT_MESSAGE_START").map(({ name }) => name), ["helper.researcher"]);
  await tab.agrees();
});

test("two questions at once, over a restart of the gateway", async () => {
  const kept = await startKeeping(team);
  const tab = newTab(kept);
  assert.equal((await tab.say("Please paint")).outcome.type, "interrupt");
  const byText = (text) => tab.questions.find(({ message }) => message === text);
  assert.deepEqual(byText("Which colour?").metadata.value.options, ["red", "blue"]);
  const resume = [resolved(byText("How large?").id, 3), resolved(byText("Which colour?").id, "red")];
  seen.shows("question", "yes, several at once");
  await kept.again();
  const stream = await tab.run({ resume });
  assert.deepEqual(stream.texts, ["A red wall of 3 metres."], stream.text);
  seen.shows("restart", "yes");
  assert.deepEqual((await tab.agrees()).state, { helper: { colour: "red", size: 3 } });
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
});

test("questions that are called off leave nothing that waits", async () => {
  const tab = newTab();
  await tab.say("Please paint");
  const stream = await tab.run({ resume: tab.questions.map(({ id }) => cancelled(id)) });
  assert.deepEqual(stream.texts, [], stream.text);
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
  await tab.agrees();
});

test("a run that is stopped here is cancelled there", async () => {
  const tab = newTab();
  const said = tab.say("Please wait").catch(() => {}); // it is aborted
  await tab.until((text) => text.includes("langgraph.custom"));
  const busy = async () => (await langgraph("/threads/search", { status: "busy", limit: 100 })).length;
  assert.equal(await busy(), 1);
  tab.client.abortRun();
  await said;
  await until("the run is over", async () => (await busy()) === 0);
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
});

test("a stream that is cut is joined again", async () => {
  const proxy = await startProxy();
  proxy.gateway = { url: ready[1] };
  const tab = newTab(await startGateway({ team: teamOf({ ...entry, url: proxy.url }) }));
  const said = tab.say("Please take your time");
  await tab.until((text) => text.includes('"first"'));
  proxy.hangUp();
  await until("the stream is joined", () => proxy.asked.some((asked) => /^GET .*\/runs\/[^/]+\/stream/.test(asked)));
  await release();
  const stream = await said;
  assert.deepEqual(stream.texts, ["Here I am."], stream.text);
  assert.deepEqual(stream.of("CUSTOM").map(({ value }) => value), ["first", "second"]);
  assert.equal(proxy.asked.filter((asked) => /^POST .*\/runs\/stream/.test(asked)).length, 1);
  await tab.agrees();
});

test("a gateway that is killed in the middle goes on with the run when it is back", async () => {
  const kept = await startKeeping(team);
  const input = inputOf("1.0.0", { messages: [user("Please take your time")] });
  const response = await fetch(`${kept.url}/agents/team`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(input),
  });
  const reader = response.body.getReader();
  for (let text = ""; !text.includes('"first"'); ) {
    const { value, done } = await reader.read();
    assert.ok(!done, text);
    text += new TextDecoder().decode(value);
  }
  await kept.kill();
  await assert.rejects(reader.read(), "its connection has ended");
  await kept.again();
  await release();
  const messages = async () => (await thread(kept, input.threadId)).messages;
  await until("the answer is there", async () => (await messages()).at(-1).content === "Here I am.");
  assert.equal((await messages()).length, 2);
  const all = await langgraph("/threads/search", { limit: 100 });
  const runs = await Promise.all(all.map(({ thread_id }) => langgraph(`/threads/${thread_id}/runs`)));
  const ours = runs.filter((list) => JSON.stringify(list).includes(input.messages[0].id));
  assert.deepEqual(ours.map((list) => list.length), [1], "the run was begun once");
});

test("a graph that breaks fails its turn, and its words are in the log alone", async () => {
  const stream = await newTab().say("Please break");
  assert.equal(stream.last.type, "RUN_ERROR");
  assert.equal(stream.last.code, "remote_failed");
  assert.ok(!stream.text.includes("a secret of the graph's"), stream.text);
  await until("the log says why", () => /RangeError.*a secret of the graph's/.test(gateway.log()));
});

test("doctor says which assistants there are", async () => {
  const file = join(dir, "wrong.yaml");
  writeFileSync(file, teamOf({ ...entry, assistant: "helpers" }));
  const [command, ...first] = process.env.GATEWAY_BIN ? [process.env.GATEWAY_BIN] : ["go", "run", "./cmd/gateway"];
  const asked = promisify(execFile)(command, [...first, "validate", "-probe", "-config", file], { cwd: root });
  await assert.rejects(asked, ({ stdout }) => /no such assistant; it has helper\./.test(stdout));
});

// It comes last, because the server forgets the threads of all tests.
test("a thread that the server has forgotten", async () => {
  const tab = newTab();
  const other = newTab();
  await tab.say("Please paint");
  await other.say("What is the weather?");
  await langgraph("/internal/truncate", { runs: true, threads: true, checkpointer: true });
  const failed = await tab.run({ resume: tab.questions.map(({ id }) => resolved(id, "red")) });
  assert.equal(failed.last.code, "remote_failed", failed.text);
  await until("the log says why", () => /status 404/.test(gateway.log()));
  const off = await tab.another().run({ resume: tab.questions.map(({ id }) => cancelled(id)) });
  assert.equal(off.outcome?.type ?? "success", "success", off.text);
  assert.deepEqual((await other.say("Thanks")).texts, ["My pleasure."], "the server is told the conversation again");
});
