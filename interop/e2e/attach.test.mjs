// A second reader of a run: whenever it comes, and with whatever cursor, it ends with what the first one has.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, ask, attach, fold, inputOf, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { parse } from "../lib/streams.mjs";

const gateway = await startGateway({ args: ["-voice-delay", "10ms"] });

const texts = (count) => (text) => text.split('"TEXT_MESSAGE_CONTENT"').length > count;
const ended = (count) => (text) => text.split('"type":"RUN_FINISHED"').length > count;

async function sameAs(first, version, events, messages) {
  const watcher = await fold(version, events, { threadId: first.threadId, messages });
  assert.deepEqual(watcher.messages, first.messages);
  assert.deepEqual(watcher.state, first.state);
}

// Pieces of the supervisor's text, and of a specialist's.
const moments = [
  { name: "the supervisor speaks", enough: texts(5) },
  { name: "a specialist speaks", enough: texts(25) },
];

for (const version of versions) {
  const other = versions.find((v) => v !== version);
  describe(`beside ${version}`, () => {
    for (const { name, enough } of moments) {
      for (const mine of versions) {
        test(`${mine} joins while ${name}`, async () => {
          const tab = new Tab(gateway, version);
          const middle = tab.until(enough);
          const run = tab.say("Plan my trip");
          const seen = await middle;
          const { id: cursor } = parse(seen).at(-1);
          const [joined, followed] = await Promise.all([
            attach(gateway, mine, tab.threadId),
            attach(gateway, mine, tab.threadId, { cursor }),
          ]);
          const first = await run;
          await tab.agrees();

          joined.check();
          const pieces = (stream) => stream.of("TEXT_MESSAGE_CONTENT").length;
          assert.ok(pieces(joined) < pieces(first), "what was said is restated, not repeated");
          await sameAs(tab, mine, joined.events);

          const before = parse(seen).map(({ event }) => event);
          followed.check(before);
          assert.deepEqual(
            followed.frames.map(({ id }) => id),
            first.frames.slice(before.length).map(({ id }) => id),
            "exactly what follows the cursor",
          );
          if (mine === version) assert.deepEqual(followed.frames, first.frames.slice(before.length));
          await sameAs(tab, mine, [...before, ...followed.events], tab.messages.slice(0, 1));
        });
      }
    }

    test("a resumed run is joined with all that came before it", async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan my trip");
      const middle = tab.until(texts(8));
      const run = tab.answer({ airline: "KLM" });
      await middle;
      const readers = await Promise.all(versions.map((mine) => attach(gateway, mine, tab.threadId)));
      await run;
      await tab.agrees();
      for (const reader of readers) await sameAs(tab, reader.version, reader.check().events);
    });

    test("a reader that follows sees all runs to the end of the trip", async () => {
      const tab = new Tab(gateway, version);
      const middle = tab.until(texts(2));
      const run = tab.say("Plan my trip");
      await middle;
      const readers = versions.map((mine) => attach(gateway, mine, tab.threadId, { follow: true, enough: ended(3) }));
      await run;
      await tab.answer({ airline: "United" });
      await tab.answer({ name: "The Ritz-Carlton" });
      await tab.agrees();
      for (const reader of await Promise.all(readers)) await sameAs(tab, reader.version, reader.check().events);
    });

    test("a run that somebody joined outlives the connection it was posted on", async () => {
      const hangUp = new AbortController();
      const input = inputOf(version, { messages: [user("Tell me everything about San Francisco")] });
      const response = await fetch(`${gateway.url}/agents/travel`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(input),
        signal: hangUp.signal,
      });
      const { value } = await response.body.getReader().read();
      assert.ok(value.length > 0);
      const reader = attach(gateway, other, input.threadId, { enough: texts(20) });
      await reader;
      const last = attach(gateway, version, input.threadId);
      hangUp.abort();
      const stream = (await last).check();
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.deepEqual((await thread(gateway, input.threadId)).runs.map(({ status }) => status), ["success"]);
    });

    test("an idle thread has nothing behind its last frame, and all of itself without a cursor", async () => {
      const tab = new Tab(gateway, version);
      const first = await tab.say("Plan my trip");
      const end = await attach(gateway, version, tab.threadId, { cursor: first.cursor });
      assert.equal(end.status, 204);
      assert.equal(end.text, "");
      for (const cursor of [undefined, "1-1", "99999999999999-1", "nonsense"]) {
        const all = await attach(gateway, version, tab.threadId, { cursor });
        assert.deepEqual(all.check().types, ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "RUN_FINISHED"], cursor);
        assert.deepEqual(all.outcome.interrupts.map(({ id }) => id), tab.questions.map(({ id }) => id));
        assert.equal(all.cursor, first.cursor, "whoever comes back has missed nothing");
        await sameAs(tab, version, all.events);
      }
      const tail = await attach(gateway, version, tab.threadId, { cursor: first.frames[5].id });
      tail.check(first.events.slice(0, 6));
      assert.deepEqual(tail.frames, first.frames.slice(6), "an ended run can still be caught up with");
    });
  });
}

test("a thread nobody knows has no events", async () => {
  const { status, body } = await ask(`${gateway.url}/threads/nobody/events`);
  assert.equal(status, 404);
  assert.equal(body.error.code, "not_found");
});
