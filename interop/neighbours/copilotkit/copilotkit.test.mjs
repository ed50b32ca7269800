// CopilotKit's runtime with a BuiltInAgent as a member of a team, by its name at the runtime, over either kind of its routes.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { cancelled, thread } from "../../lib/client.mjs";
import { startGateway } from "../../lib/gateway.mjs";
import { until } from "../../lib/until.mjs";
import { key, startMock } from "../../models/lib/mock.mjs";
import { startProgram } from "../../models/lib/program.mjs";
import { Tab } from "../../models/lib/tab.mjs";
import { row } from "../lib/table.mjs";
import { calls, cost, says, startKeeping, teamOf, tokens } from "../lib/team.mjs";

const seen = row("CopilotKit 1.75, BuiltInAgent");
const mock = await startMock([
  { match: { userMessage: "weather", hasToolResult: false }, response: calls("weather", { city: "Paris" }) },
  { match: { userMessage: "weather", toolResultContains: "blue" }, response: says("Blue skies.") },
  { match: { userMessage: "remember", hasToolResult: false }, response: calls("AGUISendStateSnapshot", { snapshot: { colour: "green" } }) },
  { match: { userMessage: "remember", hasToolResult: true }, response: says("Noted.") },
  { match: { userMessage: "map", hasToolResult: false }, response: calls("show_map", { city: "Paris" }) },
  { match: { userMessage: "map", toolResultContains: "a city" }, response: says("You see a city.") },
  { match: { userMessage: "paint", hasToolResult: false }, response: calls("askColour", { of: "the wall" }) },
  { match: { userMessage: "paint", toolResultContains: "cancelled" }, response: says("Then not.") },
  { match: { userMessage: "paint", toolResultContains: "red" }, response: calls("askColour", { of: "the door" }) },
  { match: { userMessage: "paint", toolResultContains: "white" }, response: says("A red wall and a white door.") },
  { match: { userMessage: "Thanks" }, response: says("My pleasure.") },
]);
const { ready } = await startProgram(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
  ready: /listening on (http:\S+)/,
  env: { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key },
});

test("a runtime that is taken for an agent is named, without its answer", async () => {
  const gateway = await startGateway({ team: teamOf({ type: "agui", url: `${ready[1]}/api/copilotkit` }) });
  const stream = await new Tab(gateway, "1.0.0", { agent: "team" }).say("Hello");
  assert.equal(stream.last.code, "remote_failed");
  assert.ok(!stream.text.includes("runtime"), stream.text);
  await until("the log names it", () => gateway.log().includes("a CopilotKit runtime answers there, which wants `server: copilotkit`"));
});

const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);

for (const [title, base] of [
  ["a route for each agent", "/api/copilotkit"],
  ["a single route", "/single"],
]) {
  const team = teamOf({ type: "agui", server: "copilotkit", url: ready[1] + base, agent: "helper" });
  const gateway = await startGateway({ team });
  describe(title, () => {
    const newTab = (at = gateway) => new Tab(at, "1.0.0", { agent: "team" });

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

    test("the state that it sends is the value at its place", async () => {
      const tab = newTab();
      const stream = await tab.say("Please remember green");
      assert.deepEqual(stream.texts, ["Noted."], stream.text);
      assert.deepEqual((await tab.agrees()).state, { helper: { colour: "green" } });
      seen.shows("state", "yes, by AGUISendStateSnapshot");
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

    test("it asks twice, over a restart of the gateway, and is spoken to afterwards", async () => {
      const kept = await startKeeping(team);
      const tab = newTab(kept);
      assert.equal((await tab.say("Please paint")).outcome.type, "interrupt");
      assert.deepEqual(tab.questions.map(({ reason, message }) => [reason, message]), [["tool_call", "Which colour?"]]);
      await kept.again();
      const second = await tab.answer("red");
      assert.equal(second.outcome.type, "interrupt", second.text);
      assert.deepEqual(results(second), ["red"], "the answer is all that comes of the call");
      const third = await tab.answer({ colour: "white" });
      assert.deepEqual(third.texts, ["A red wall and a white door."], third.text);
      assert.deepEqual(results(third), ['{"colour":"white"}']);
      seen.shows("question", "yes");
      seen.shows("restart", "yes");

      assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
      await tab.agrees();
      const told = (await mock.requests("helper")).at(-1).messages.filter(({ role }) => role !== "system");
      assert.deepEqual(
        told.map(({ role, content, tool_calls }) => (tool_calls ? "call" : `${role}: ${content}`)),
        ["user: Please paint", "call", "tool: red", "call", 'tool: {"colour":"white"}', "assistant: A red wall and a white door.", "user: Thanks"],
        "each result stands behind its call, where models insist on it",
      );
    });

    test("a question that is called off", async () => {
      const tab = newTab();
      await tab.say("Please paint");
      const stream = await tab.run({ resume: [cancelled(tab.questions[0].id)] });
      assert.deepEqual(stream.texts, ["Then not."], stream.text);
      assert.deepEqual((await tab.say("Thanks")).texts, ["My pleasure."]);
      assert.equal((await thread(gateway, tab.threadId)).status, "idle");
    });
  });
}
