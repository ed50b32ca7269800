// What gateway/wire makes of the streams in gateway/wire/testdata for each kind of reader, judged by the reference client
// of that reader's era: its schemas, its chunk expansion, its order rules.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { judge, olderClients } from "./lib/reference.mjs";
import { eventProblems } from "./lib/schemas.mjs";

const dir = new URL("../gateway/wire/testdata/projected/", import.meta.url);
const files = readdirSync(dir).filter((name) => name.endsWith(".json"));
const read = (file) => JSON.parse(readFileSync(new URL(file, dir), "utf8"));

// Subagents are sent only to clients that ask for them. What somebody with a newer client shows in a thread is sent to all.
const unknownTo = (version, file, events) =>
  events.some(({ type }) => type.startsWith("SUBAGENT_")) || (version === "0.0.45" && file === "media.json");

test("there are streams for readers of both eras", () => {
  const clients = new Set(files.flatMap((file) => Object.values(read(file)).map(({ client }) => client)));
  assert.deepEqual([...clients].sort(), ["0.0.59", "1.0.0"]);
  assert.ok(files.length >= 10, `only ${files.length} streams`);
});

for (const file of files) {
  for (const [reader, { client, events }] of Object.entries(read(file))) {
    test(`${file}: ${reader}`, () => {
      assert.deepEqual(judge(client, events), { verdict: "accept" });
      // What an older reader is sent has no shape that 1.0 does not know.
      assert.deepEqual(judge("1.0.0", events), { verdict: "accept" });
      assert.deepEqual(events.flatMap(eventProblems), []);
      if (client === "1.0.0") return;
      for (const older of Object.keys(olderClients)) {
        const judged = judge(older, events);
        assert.equal(judged.verdict, unknownTo(older, file, events) ? "reject" : "accept", `${older}: ${judged.error}`);
      }
    });
  }
}

test("an older client would have died on the stream as it is stored", () => {
  for (const [file, reader] of [
    ["stopped.json", "1.0"],
    ["frontend.json", "1.0"],
    ["media.json", "1.0"],
  ]) {
    assert.equal(judge("0.0.59", read(file)[reader].events).verdict, "reject", file);
  }
});

test("a legacy question is JSON in a string and holds the id its answer is bound by", () => {
  for (const [file, ids] of [
    ["interrupt.json", ["i1"]],
    ["questions.json", ["i1", "i2", "i3"]],
    ["reopened.json", ["i1", "i2"]],
  ]) {
    const asked = read(file).dojo.events.filter((event) => event.name === "on_interrupt");
    assert.deepEqual(
      asked.map(({ value }) => JSON.parse(value).id),
      ids,
    );
  }
});
