// A second gateway as a member of a team: an agent of its own with a model and a tool, and a script that asks and writes state.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../../lib/gateway.mjs";
import { modelsAt, startMock, teamFile } from "../../models/lib/mock.mjs";
import { Tab } from "../../models/lib/tab.mjs";
import { row } from "../lib/table.mjs";
import { calls, cost, says, startKeeping, teamOf, tokens } from "../lib/team.mjs";

const seen = row("a second gateway");
const mock = await startMock([
  { match: { userMessage: "weather", hasToolResult: false }, response: calls("weather", { city: "Paris" }) },
  { match: { userMessage: "weather", hasToolResult: true }, response: says("Blue skies.") },
]);
const other = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, ["helper"]),
    agents: {
      forecaster: {
        type: "llm",
        model: "helper",
        tools: [{ name: "weather", description: "Tells the weather", parameters: { type: "object", properties: { city: { type: "string" } } }, result: "blue" }],
      },
      painter: {
        type: "script",
        steps: [
          { ask: { key: "colour", message: "Which colour?" } },
          { set: { path: "/colour", value: "${answers.colour}" } },
          { say: "${answers.colour} it is." },
        ],
      },
    },
  }),
});
const at = (agent) => teamOf({ type: "agui", url: `${other.url}/agents/${agent}` });

test("its tool and its words, and what they cost", async () => {
  const tab = new Tab(await startGateway({ team: at("forecaster") }), "1.0.0", { agent: "team" });
  const stream = await tab.say("What is the weather?");
  assert.deepEqual(stream.texts, ["Blue skies."], stream.text);
  seen.shows("text", "yes");
  assert.deepEqual(stream.of("TOOL_CALL_RESULT").map(({ content }) => content), ["blue"]);
  seen.shows("tools", "yes");
  assert.equal(tokens(stream.last.usage), 2 * (cost.prompt + cost.completion));
  await tab.agrees();
});

test("its question and its state, over a restart of the gateway", async () => {
  const kept = await startKeeping(at("painter"));
  const tab = new Tab(kept, "1.0.0", { agent: "team" });
  await tab.say("Please paint");
  assert.deepEqual(tab.questions.map(({ message }) => message), ["Which colour?"]);
  await kept.again();
  assert.deepEqual((await tab.answer({ value: "red" })).texts, ["red it is."]);
  assert.deepEqual((await tab.agrees()).state, { helper: { colour: "red" } });
  seen.shows("state", "yes");
  seen.shows("question", "yes");
  seen.shows("restart", "yes");
});
