// The golden messages, inputs and capabilities, judged by the protocol's own validators: valid, and with no
// member the protocol does not know.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { problems } from "./lib/schemas.mjs";

const golden = new URL("../agui/testdata/golden/", import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, golden), "utf8"));
const json = (dir) => readdirSync(new URL(dir, golden)).filter((name) => name.endsWith(".json"));

const messages = json("messages/").map((name) => ["MessageSchema", `messages/${name}`]);
const others = [
  ["RunAgentInputSchema", "input.json"],
  ["RunAgentInputSchema", "input_minimal.json"],
  ["AgentCapabilitiesSchema", "capabilities.json"],
  ["AgentCapabilitiesSchema", "capabilities_minimal.json"],
];

test("there is an example of each role", () => {
  const roles = new Set(messages.map(([, path]) => read(path).role));
  assert.deepEqual([...roles].sort(), ["activity", "assistant", "developer", "reasoning", "system", "tool", "user"]);
});

for (const [schema, path] of [...messages, ...others]) {
  test(path, () => {
    assert.deepEqual(problems(schema, read(path)), []);
  });
}

test("a filled message has every member its role knows", () => {
  for (const name of json("messages/").filter((name) => !name.includes("_"))) {
    const message = read(`messages/${name}`);
    for (const member of ["metadata", "subagentRunId"]) assert.ok(member in message, `${name}: no ${member}`);
  }
});

test("the walk finds what a loose schema lets through", () => {
  const message = { ...read("messages/user.json"), surprise: 1 };
  assert.notDeepEqual(problems("MessageSchema", message), []);
  const capabilities = { ...read("capabilities.json"), multiAgent: { subAgents: [] } };
  assert.notDeepEqual(problems("AgentCapabilitiesSchema", capabilities), []);
});
