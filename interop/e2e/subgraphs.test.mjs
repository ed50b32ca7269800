// POST /subgraphs, where the AG-UI Dojo's travel page posts: the dialect from before AG-UI 1.0's interrupts, in the
// order its page was written for.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { Tab, ask, thread, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway();

const klm = { airline: "KLM", departure: "Amsterdam (AMS)", arrival: "San Francisco (SFO)", price: "$650", duration: "11h 30m" };
const zoe = { name: "Hotel Zoe", location: "Union Square", price_per_night: "$320/night", rating: "4.4 stars" };

const text = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"];
const asking = ["STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "STEP_FINISHED", "CUSTOM", "RUN_FINISHED"];

const runs = [
  {
    types: [
      ...["RUN_STARTED", "STATE_SNAPSHOT"],
      ...["STEP_STARTED", ...text, "STATE_DELTA", "STEP_FINISHED"],
      ...["STEP_STARTED", ...text, ...asking],
    ],
    steps: ["supervisor", "flights_agent"],
    deltas: ["replace /planning_step collecting_flights, replace /active_agent flights"],
    speakers: ["supervisor", "flights_agent"],
  },
  {
    types: [
      ...["RUN_STARTED", "STATE_SNAPSHOT"],
      ...["STEP_STARTED", "STATE_DELTA", ...text, "STEP_FINISHED"],
      ...["STEP_STARTED", "STATE_DELTA", "STEP_FINISHED"],
      ...["STEP_STARTED", ...text, ...asking],
    ],
    steps: ["flights_agent", "supervisor", "hotels_agent"],
    deltas: [
      "replace /flights 2, add /itinerary/flight KLM, replace /planning_step booking_flight",
      "replace /active_agent hotels, replace /planning_step collecting_hotels",
    ],
    speakers: ["flights_agent", "hotels_agent"],
  },
  {
    types: [
      ...["RUN_STARTED", "STATE_SNAPSHOT"],
      ...["STEP_STARTED", "STATE_DELTA", ...text, "STEP_FINISHED"],
      ...["STEP_STARTED", "STATE_DELTA", "STEP_FINISHED"],
      ...["STEP_STARTED", "STATE_DELTA", ...text, "STEP_FINISHED"],
      ...["STEP_STARTED", "STATE_DELTA", ...text, "STEP_FINISHED"],
      ...["STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "RUN_FINISHED"],
    ],
    steps: ["hotels_agent", "supervisor", "experiences_agent", "supervisor"],
    deltas: [
      "replace /hotels 3, add /itinerary/hotel Hotel Zoe, replace /planning_step booking_hotel",
      "replace /active_agent experiences, replace /planning_step curating_experiences",
      "replace /experiences 4",
      "replace /active_agent supervisor, replace /planning_step complete",
    ],
    speakers: ["hotels_agent", "experiences_agent", "supervisor"],
  },
];

// An operation in words: a list by its length, an option by its name.
const inWords = ({ op, path, value }) => `${op} ${path} ${value.airline ?? value.name ?? (Array.isArray(value) ? value.length : value)}`;

function compare(stream, { types, steps, deltas, speakers }) {
  assert.deepEqual(stream.types, types);
  assert.deepEqual(stream.of("STEP_STARTED").map(({ stepName }) => stepName), steps);
  assert.deepEqual(stream.of("STEP_FINISHED").map(({ stepName }) => stepName), steps);
  assert.deepEqual(stream.of("STATE_DELTA").map(({ delta }) => delta.map(inWords).join(", ")), deltas);
  const starts = stream.of("TEXT_MESSAGE_START");
  assert.deepEqual(starts.map(({ name }) => name), speakers);
  for (const { messageId, role = "assistant" } of starts) {
    assert.equal(role, "assistant");
    const pieces = stream.of("TEXT_MESSAGE_CONTENT").filter((event) => event.messageId === messageId);
    assert.ok(pieces.length > 1, "a text comes in several pieces");
  }
  assert.equal(stream.last.outcome, undefined, "an outcome is of the other dialect");
}

function question(stream) {
  const [custom] = stream.of("CUSTOM");
  assert.equal(custom.name, "on_interrupt");
  assert.equal(typeof custom.value, "string");
  return { event: custom.value, value: JSON.parse(custom.value) };
}

for (const version of versions) {
  describe(version, () => {
    for (const same of [true, false]) {
      test(`a trip, ${same ? "all under one run id" : "each run under its own id"}, is the stream the page expects`, async () => {
        const tab = new Tab(gateway, version, { path: "/subgraphs" });
        const once = randomUUID();
        const runId = () => (same ? once : randomUUID());
        const legacy = (stream, choice) => ({
          runId: runId(),
          forwardedProps: { command: { resume: JSON.stringify(choice), interruptEvent: question(stream).event } },
        });

        const first = await tab.say("Plan my trip", { runId: runId() });
        compare(first, runs[0]);
        const { value } = question(first);
        assert.deepEqual(Object.keys(value).sort(), ["agent", "id", "message", "options", "recommendation"]);
        assert.equal(value.agent, "flights");
        assert.deepEqual(value.recommendation, klm);
        assert.deepEqual(value.options.map(({ airline }) => airline), ["KLM", "United"]);
        assert.deepEqual(first.events[1].snapshot, {
          origin: "Amsterdam",
          destination: "San Francisco",
          flights: [],
          hotels: [],
          experiences: [],
          itinerary: {},
          planning_step: "start",
          active_agent: "supervisor",
        });
        await tab.agrees();

        const second = await tab.run(legacy(first, klm));
        compare(second, runs[1]);
        assert.equal(question(second).value.agent, "hotels");
        assert.deepEqual(question(second).value.recommendation, zoe);
        await tab.agrees();

        const third = await tab.run(legacy(second, zoe));
        compare(third, runs[2]);
        assert.deepEqual(third.of("CUSTOM"), []);
        const done = await tab.agrees();
        assert.equal(done.agent, "travel");
        assert.deepEqual(done.state.itinerary, { flight: klm, hotel: zoe });
      });
    }

    test("the page's own empty state is no plan", async () => {
      const state = { origin: "", destination: "", flights: [], hotels: [], experiences: [], itinerary: {} };
      const tab = new Tab(gateway, version, { path: "/subgraphs", state });
      compare(await tab.say("Plan my trip"), runs[0]);
      await tab.agrees();
    });

    test("an answer without its event is to the one open question", async () => {
      const tab = new Tab(gateway, version, { path: "/subgraphs" });
      await tab.say("Plan my trip");
      compare(await tab.run({ forwardedProps: { command: { resume: klm } } }), runs[1]);
      await tab.agrees();
    });

    test("a message without an answer brings the question back", async () => {
      const tab = new Tab(gateway, version, { path: "/subgraphs" });
      const asked = question(await tab.say("Plan my trip"));
      const before = await thread(gateway, tab.threadId);
      tab.client.setMessages([]); // a page that is behind, whose message is not tried as the answer
      const stream = await tab.say("What about Paris?");
      assert.deepEqual(stream.types, ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "MESSAGES_SNAPSHOT", "CUSTOM", "CUSTOM", "RUN_FINISHED"]);
      const [refused, again] = stream.of("CUSTOM");
      assert.equal(refused.name, "gateway.refused");
      assert.equal(refused.value.code, "interrupt_pending");
      assert.equal(again.name, "on_interrupt");
      assert.deepEqual(JSON.parse(again.value), asked.value);
      assert.equal(tab.messages.at(-1).content, "What about Paris?", "shown, for the page holds it already");
      assert.deepEqual(await thread(gateway, tab.threadId), before, "and not kept");
    });

    test("a message may be the answer", async () => {
      const tab = new Tab(gateway, version, { path: "/subgraphs" });
      const asked = question(await tab.say("Plan my trip"));
      const vague = await tab.say("What about Paris?");
      assert.deepEqual(question(vague), asked, "the card comes back as it was");
      await tab.say("the second one");
      assert.equal((await tab.agrees()).state.itinerary.flight.airline, "United");
    });

    test("an answer to a question that is answered is not taken for another's", async () => {
      const tab = new Tab(gateway, version, { path: "/subgraphs" });
      const first = question(await tab.say("Plan my trip"));
      const answer = (choice) => ({ forwardedProps: { command: { resume: JSON.stringify(choice), interruptEvent: first.event } } });
      await tab.run(answer(klm));
      const before = await tab.agrees();
      const other = await tab.run(answer({ airline: "United" }));
      assert.equal(other.of("CUSTOM")[0].value.code, "interrupt_already_resolved");
      const same = await tab.run(answer(klm));
      assert.deepEqual(same.types, ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "CUSTOM", "RUN_FINISHED"]);
      assert.equal(question(same).value.agent, "hotels");
      assert.deepEqual(await tab.agrees(), before);
    });
  });
}

test("GET is no way to run", async () => {
  const { status, headers, body } = await ask(`${gateway.url}/subgraphs`);
  assert.equal(status, 405);
  assert.match(headers.get("allow"), /\bPOST\b/);
  assert.equal(body.error.code, "method_not_allowed");
});
