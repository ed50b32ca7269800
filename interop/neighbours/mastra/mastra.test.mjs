// Mastra's own server as a member of a team, by the endpoint that @ag-ui/mastra registers there: a CopilotKit runtime of a single route.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cancelled } from "../../lib/client.mjs";
import { startGateway } from "../../lib/gateway.mjs";
import { key, startMock } from "../../models/lib/mock.mjs";
import { startProgram } from "../../models/lib/program.mjs";
import { Tab } from "../../models/lib/tab.mjs";
import { row } from "../lib/table.mjs";
import { calls, cost, says, startKeeping, teamOf, tokens } from "../lib/team.mjs";

const seen = row("Mastra 1.68, its server");
const mock = await startMock([
  { match: { userMessage: "weather", hasToolResult: false }, response: calls("weather", { city: "Paris" }) },
  { match: { userMessage: "weather", toolResultContains: "blue" }, response: says("Blue skies.") },
  { match: { userMessage: "remember", hasToolResult: false }, response: calls("updateWorkingMemory", { memory: { colour: "green" } }) },
  { match: { userMessage: "remember", hasToolResult: true }, response: says("Noted.") },
  { match: { userMessage: "map", hasToolResult: false }, response: calls("show_map", { city: "Paris" }) },
  { match: { userMessage: "map", toolResultContains: "a city" }, response: says("You see a city.") },
  { match: { userMessage: "paint", hasToolResult: false }, response: calls("askColour", { of: "the wall" }) },
  { match: { userMessage: "paint", toolResultContains: "red" }, response: says("A red wall.") },
  { match: { userMessage: "Thanks" }, response: says("My pleasure.") },
]);
const { ready } = await startProgram(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
  ready: /listening on (http:\S+)/,
  env: { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key },
});
const team = teamOf({ type: "agui", server: "copilotkit", url: `${ready[1]}/chat`, agent: "helper" });
const gateway = await startGateway({ team });
const newTab = (at = gateway) => new Tab(at, "1.0.0", { agent: "team" });
const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);


test("its tool and its words, and what they cost", async () => {
  const tab = newTab();
  const stream = await tab.say("What is the weather?");
  assert.deepEqual(stream.texts, ["Blue skies."], stream.text);
  assert.deepEqual(stream.of("TEXT_MESSAGE_START").map(({ name }) => name), ["helper"]);
  seen.shows("text", "yes");
  assert.deepEqual(stream.of("TOOL_CALL_START").map(({ toolCallName }) => toolCallName), ["weather"]);
  assert.deepEqual(results(stream).map(JSON.parse), [{ city: "Paris", sky: "blue" }]);
  seen.shows("tools", "yes");
  const request = cost.prompt + cost.completion;
  assert.equal(tokens(stream.last.usage), 2 * request, "one run, two requests of the model");
  await tab.say("Thanks");
  assert.equal(tokens((await tab.agrees()).usage), 3 * request, "the thread's is that of all its runs");
});

test("its working memory is the value at its place", async () => {
  const tab = newTab();
  const stream = await tab.say("Please remember green");
  assert.deepEqual(stream.texts, ["Noted."], stream.text);
  assert.deepEqual((await tab.agrees()).state, { helper: { colour: "green" } });
  seen.shows("state", "yes, its working memory");
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

test("a tool that is suspended asks, over a restart of the gateway", async () => {
  const kept = await startKeeping(team);
  const tab = newTab(kept);
  assert.equal((await tab.say("Please paint")).outcome.type, "interrupt");
  const [{ responseSchema, metadata }] = tab.questions;
  assert.equal(metadata.mastra.suspendPayload.question, "Which colour for the wall?");
  assert.deepEqual(responseSchema.required, ["colour"]);
  await kept.again();
  const stream = await tab.answer({ colour: "red" });
  assert.deepEqual(stream.texts, ["A red wall."], stream.text);
  seen.shows("question", "yes");
  seen.shows("restart", "yes");
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
  await tab.agrees();
});

test("a question that is called off", async () => {
  const tab = newTab();
  await tab.say("Please paint");
  const stream = await tab.run({ resume: [cancelled(tab.questions[0].id)] });
  assert.deepEqual(stream.texts, [], stream.text);
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
  await tab.agrees();
});

test("the agent behind a bridge, in place of an endpoint", async () => {
  const bridged = await startGateway({ team: teamOf({ type: "agui", url: `${ready[1]}/bridge` }) });
  const tab = newTab(bridged);
  assert.deepEqual((await tab.say("What is the weather?")).texts, ["Blue skies."]);
  assert.equal((await tab.say("Please paint")).outcome.type, "interrupt");
  assert.deepEqual((await tab.answer({ colour: "red" })).texts, ["A red wall."]);
  await tab.agrees();
});
