// The table of event sequences in agui/testdata/sequences, judged by the reference clients.
//
// The Go tests hold the Verifier to the same table, so agreeing here is what makes the
// Verifier equal to the reference.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { judge } from "./lib/reference.mjs";
import { eventProblems, eventTypes } from "./lib/schemas.mjs";

const dir = new URL("../agui/testdata/sequences/", import.meta.url);
const files = readdirSync(dir).filter((name) => name.endsWith(".json"));
const table = files.flatMap((file) =>
  JSON.parse(readFileSync(new URL(file, dir), "utf8")).map((entry) => ({ file, ...entry })),
);

// What the 1.0 client forgives on the way in is accepted, though not valid to send.
const forgiven = new Set([
  "null parent message of a call",
  "tag on the snapshot itself",
  "unknown event",
  "subagent of an unknown outcome",
  "unknown event first",
  "unknown event after the end",
  "unknown event beside a pending chunk",
  "unknown member",
]);

test("the table is as large as it claims", () => {
  assert.ok(table.length >= 180, `only ${table.length} sequences`);
  const names = new Set(table.map((entry) => entry.name));
  assert.equal(names.size, table.length, "two sequences have the same name");
  const seen = new Set(table.flatMap((entry) => entry.events.map((event) => event.type)));
  assert.deepEqual(eventTypes.filter((type) => !seen.has(type)), [], "event types in no sequence");
});

for (const { file, name, verdict, old, at, events } of table) {
  test(`${file}: ${name}`, () => {
    const current = judge("1.0.0", events);
    assert.equal(current.verdict, verdict, `1.0.0: ${current.error ?? "accepts"}`);
    if (verdict === "reject") {
      assert.equal(current.at, at ?? events.length - 1, `1.0.0 refuses another event: ${current.error}`);
    }
    if (old !== undefined) {
      const before = judge("0.0.59", events);
      assert.equal(before.verdict, old, `0.0.59: ${before.error ?? "accepts"}`);
    }
    if (verdict === "accept" && !forgiven.has(name)) {
      assert.deepEqual(events.flatMap(eventProblems), []);
    }
  });
}
