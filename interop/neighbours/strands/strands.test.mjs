// AWS Strands' agent, behind the server of its own AG-UI package, as a member of a team.

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
import { calls, says, startKeeping, teamOf } from "../lib/team.mjs";

const seen = row("AWS Strands 1.19 for TypeScript");
const mock = await startMock([
  { match: { userMessage: "weather", hasToolResult: false }, response: calls("weather", { city: "Paris" }) },
  { match: { userMessage: "weather", toolResultContains: "blue" }, response: says("Blue skies.") },
  { match: { userMessage: "remember", hasToolResult: false }, response: calls("remember", { colour: "green" }) },
  { match: { userMessage: "remember", hasToolResult: true }, response: says("Noted.") },
  { match: { userMessage: "map", hasToolResult: false }, response: calls("show_map", { city: "Paris" }) },
  { match: { userMessage: "map", toolResultContains: "a city" }, response: says("You see a city.") },
  { match: { userMessage: "paint", hasToolResult: false }, response: calls("askColour", { of: "the wall" }) },
  { match: { userMessage: "paint", toolResultContains: "red" }, response: says("A red wall.") },
  { match: { userMessage: "paint", hasToolResult: true }, response: says("Then not.") },
  { match: { userMessage: "Thanks" }, response: says("My pleasure.") },
]);
const { ready } = await startProgram(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
  ready: /listening on (http:\S+)/,
  env: { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key },
});
const team = teamOf({ type: "agui", url: `${ready[1]}/` });
const gateway = await startGateway({ team });
const newTab = (at = gateway) => new Tab(at, "1.0.0", { agent: "team" });
const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);

test("its tool and its words", async () => {
  const tab = newTab();
  const stream = await tab.say("What is the weather?");
  assert.deepEqual(stream.texts, ["Blue skies."], stream.text);
  assert.deepEqual(stream.of("TEXT_MESSAGE_START").map(({ name }) => name), ["helper"]);
  seen.shows("text", "yes");
  assert.deepEqual(stream.of("TOOL_CALL_START").map(({ toolCallName }) => toolCallName), ["weather"]);
  assert.deepEqual(results(stream).map(JSON.parse), [{ city: "Paris", sky: "blue" }]);
  seen.shows("tools", "yes");
  assert.equal(stream.last.usage, undefined, "it does not say what its model used");
});

test("the state that it makes of a call is the value at its place", async () => {
  const tab = newTab();
  const stream = await tab.say("Please remember green");
  assert.deepEqual(stream.texts, ["Noted."], stream.text);
  assert.deepEqual((await tab.agrees()).state, { helper: { colour: "green" } });
  seen.shows("state", "yes, of its tools' calls");
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

test("a tool that interrupts asks, over a restart of the gateway", async () => {
  const kept = await startKeeping(team);
  const tab = newTab(kept);
  assert.equal((await tab.say("Please paint")).outcome.type, "interrupt");
  assert.equal(tab.questions[0].message, '{"question":"Which colour for the wall?"}');
  await kept.again();
  const stream = await tab.answer({ colour: "red" });
  assert.deepEqual(stream.texts, ["A red wall."], stream.text);
  assert.deepEqual(results(stream).map(JSON.parse), [{ of: "the wall", answer: { colour: "red" } }]);
  seen.shows("question", "yes");
  seen.shows("restart", "yes");
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
  await tab.agrees();
});

test("a question that is called off", async () => {
  const tab = newTab();
  await tab.say("Please paint");
  const stream = await tab.run({ resume: [cancelled(tab.questions[0].id)] });
  assert.deepEqual(stream.texts, ["Then not."], stream.text);
  assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
  await tab.agrees();
});
