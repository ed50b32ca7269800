// Random event streams: our Verifier refuses the very event the reference client refuses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeOurs } from "./lib/judge.mjs";
import { random, randomStream, randomTypes } from "./lib/random.mjs";
import { judge } from "./lib/reference.mjs";
import { eventTypes } from "./lib/schemas.mjs";

const count = Number(process.env.RANDOM_SEQUENCES ?? 3000);
const seed = Number(process.env.RANDOM_SEED ?? 1 + Math.floor(Math.random() * 1e6));

test("random streams are made of every event", () => {
  assert.deepEqual(randomTypes.toSorted(), eventTypes.toSorted());
});

test(`${count} random streams of seed ${seed} get the reference's verdicts`, () => {
  const next = random(seed);
  const streams = Array.from({ length: count }, () => randomStream(next));
  const ours = judgeOurs(streams);
  assert.equal(ours.length, count);

  let accepted = 0;
  let differing; // the shortest stream the two disagree on
  streams.forEach((events, i) => {
    const { at = -1, error } = judge("1.0.0", events);
    if (at === -1) accepted++;
    if (ours[i].at !== at && (differing === undefined || events.length < differing.events.length)) {
      differing = { reference: { at, error }, ours: ours[i], events };
    }
  });
  assert.equal(differing, undefined, JSON.stringify(differing));

  // A generator that only ever broke, or only ever kept, the rules would prove little.
  assert.ok(accepted > count / 10 && accepted < (count * 9) / 10, `${accepted} of ${count} accepted`);
});
