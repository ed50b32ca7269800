// Two hundred trips at the same time, on a server that watches itself for data races.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inputOf, post, resolved, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway({ race: true });
const count = 200;

// What comes is judged when all is over: judging holds up this process, and its requests would time out.
async function trip(i) {
  const version = versions[i % versions.length];
  const mine = (fields) => inputOf(version, { threadId: `trip-${i}`, messages: [user("Plan my trip", `user-${i}`)], ...fields });
  const first = await post(gateway, version, mine());
  const flight = resolved(first.outcome.interrupts[0].id, { airline: i % 3 ? "KLM" : "United" });
  const second = await post(gateway, version, mine({ resume: [flight] }));
  const hotel = resolved(second.outcome.interrupts[0].id, { name: i % 5 ? "Hotel Zoe" : "The Ritz-Carlton" });
  const third = await post(gateway, version, mine({ resume: [hotel] }));
  assert.deepEqual(third.outcome, { type: "success" });
  return [first, second, third];
}

test(`${count} trips at once`, async () => {
  const streams = await Promise.all(Array.from({ length: count }, (_, i) => trip(i)));
  for (let i = 0; i < count; i++) {
    const { status, state, messages, runs } = await thread(gateway, `trip-${i}`);
    assert.equal(status, "idle");
    assert.equal(state.itinerary.flight.airline, i % 3 ? "KLM" : "United");
    assert.equal(state.itinerary.hotel.name, i % 5 ? "Hotel Zoe" : "The Ritz-Carlton");
    assert.equal(messages.filter(({ content }) => content.includes("I'll book")).length, 2);
    assert.deepEqual(runs.map(({ status }) => status), ["success", "interrupt", "interrupt"]);
  }
  for (const stream of streams.flat()) stream.check();
  // A client from before 1.0 is not told when its questions expire, which the server says each time.
  const trouble = gateway.log().split("\n").filter((line) => /DATA RACE|panic|WARN|ERROR/.test(line) && !line.includes("expiry of interrupts"));
  assert.deepEqual(trouble, []);
});
