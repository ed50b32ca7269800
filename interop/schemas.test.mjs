// What we encode, in agui/testdata/golden, under the protocol's own validators.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { enforced } from "./lib/reference.mjs";
import { eventTypes, parse, problems } from "./lib/schemas.mjs";

const golden = new URL("../agui/testdata/golden/", import.meta.url);

// The schema of the examples, by the first word of their path.
const schemaOf = {
  events: "EventSchema",
  messages: "MessageSchema",
  input: "RunAgentInputSchema",
  capabilities: "AgentCapabilitiesSchema",
};

// What the validator itself adds to an example that leaves it out.
const filledIn = { input: { tools: [], context: [] } };

// The members that have a value.
const known = (value) => JSON.parse(JSON.stringify(value));

const examples = readdirSync(golden, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => ({
    name,
    kind: name.match(/^[a-z]+/)[0],
    value: JSON.parse(readFileSync(new URL(name, golden), "utf8")),
  }));

test("there is an example of every event", () => {
  const seen = new Set(examples.filter(({ kind }) => kind === "events").map(({ value }) => value.type));
  assert.ok(seen.size >= 31, `only ${seen.size} types of events`);
  assert.deepEqual(eventTypes.filter((type) => !seen.has(type)), []);
});

for (const { name, kind, value } of examples) {
  test(`golden/${name} is valid and kept whole`, () => {
    const schema = schemaOf[kind];
    assert.ok(schema, `no schema is known for golden/${name}`);
    assert.deepEqual(problems(schema, value), []);
    assert.deepEqual(known(parse(schema, value)), { ...filledIn[kind], ...value });
    if (kind === "events") assert.deepEqual(enforced(value), value);
  });
}

// The check itself must notice what a server may not send.
const bad = [
  ["an optional null", { type: "RUN_ERROR", message: "broke", code: null }],
  ["an unknown member", { type: "RUN_ERROR", message: "broke", colour: "red" }],
  ["a member named like a method", { type: "RUN_ERROR", message: "broke", constructor: 1 }],
  ["an unknown type", { type: "THINKING_START" }],
  ["a missing required member", { type: "CUSTOM", name: "x.note" }],
  ["a fraction of a millisecond", { type: "RUN_ERROR", message: "broke", timestamp: 1.5 }],
  [
    "an unknown member deep inside",
    { type: "MESSAGES_SNAPSHOT", messages: [{ id: "m", role: "user", content: [{ type: "text", text: "", size: 1 }] }] },
  ],
  ["an unknown outcome", { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "paused" } }],
  [
    "a member of another outcome",
    { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled", interrupts: [] } },
  ],
];

for (const [what, event] of bad) {
  test(`${what} is noticed`, () => assert.notDeepEqual(problems("EventSchema", event), []));
}

test("members of opaque values are nobody's business", () => {
  const event = { type: "STATE_SNAPSHOT", snapshot: { constructor: null, deep: [{ any: 1 }] }, metadata: { any: null } };
  assert.deepEqual(problems("EventSchema", event), []);
});
