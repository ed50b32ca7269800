// A trip planned to its end with the real clients, who must hold what the server holds.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway();

const klm = { airline: "KLM", departure: "Amsterdam (AMS)", arrival: "San Francisco (SFO)", price: "$650", duration: "11h 30m" };
const united = { airline: "United", departure: "Amsterdam (AMS)", arrival: "San Francisco (SFO)", price: "$720", duration: "12h 15m" };
const zephyr = { name: "Hotel Zephyr", location: "Fisherman's Wharf", price_per_night: "$280/night", rating: "4.2 stars" };
const ritz = { name: "The Ritz-Carlton", location: "Nob Hill", price_per_night: "$550/night", rating: "4.8 stars" };
const zoe = { name: "Hotel Zoe", location: "Union Square", price_per_night: "$320/night", rating: "4.4 stars" };

const trips = [
  { name: "KLM and Hotel Zoe", flight: klm, hotel: zoe },
  { name: "United and The Ritz-Carlton", flight: united, hotel: ritz },
];

const booked = (messages) => messages.filter(({ content }) => content?.includes("I'll book"));

for (const version of versions) {
  describe(version, () => {
    for (const { name, flight, hotel } of trips) {
      test(name, async () => {
        const tab = new Tab(gateway, version);
        const first = await tab.say("Plan my trip");
        assert.equal(first.outcome.type, "interrupt");
        assert.deepEqual(tab.questions.map(({ metadata }) => metadata.value.options), [[klm, united]]);
        assert.deepEqual(tab.questions[0].metadata.value.recommendation, klm);
        assert.equal(tab.questions[0].metadata.value.agent, "flights");
        assert.equal((await tab.agrees()).status, "interrupted");

        const second = await tab.answer(flight);
        assert.equal(second.outcome.type, "interrupt");
        assert.deepEqual(tab.questions[0].metadata.value.options, [zephyr, ritz, zoe]);
        assert.deepEqual(tab.questions[0].metadata.value.recommendation, zoe);
        assert.equal(tab.questions[0].metadata.value.agent, "hotels");
        await tab.agrees();

        const third = await tab.answer(hotel);
        assert.deepEqual(third.outcome, { type: "success" });
        const thread = await tab.agrees();
        assert.equal(thread.status, "idle");
        assert.deepEqual(thread.state.itinerary, { flight, hotel });
        assert.equal(thread.state.planning_step, "complete");
        assert.equal(thread.state.active_agent, "supervisor");
        assert.deepEqual(
          thread.state.experiences.map(({ name }) => name),
          ["Swan Oyster Depot", "Tartine Bakery", "Pier 39", "Golden Gate Bridge"],
        );
        assert.equal(booked(thread.messages).length, 2);
        assert.deepEqual(
          thread.messages.map(({ role, name }) => name ?? role),
          ["user", "supervisor", "flights_agent", "flights_agent", "hotels_agent", "hotels_agent", "experiences_agent", "supervisor"],
        );
        assert.ok(thread.messages.filter(({ name }) => name?.endsWith("_agent")).every(({ subagentRunId }) => subagentRunId));
        assert.deepEqual(thread.runs.map(({ status }) => status), ["success", "interrupt", "interrupt"]);
        assert.deepEqual(tab.questions, []);

        // A page that is loaded again shows the same.
        const fresh = new Tab(gateway, version, { threadId: tab.threadId });
        await fresh.run();
        await fresh.agrees();
      });
    }

    test("a greeting asks nothing", async () => {
      const tab = new Tab(gateway, version);
      const stream = await tab.say("Hello, what can you do?");
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.deepEqual(stream.of("SUBAGENT_STARTED"), []);
      await tab.agrees();
    });

    test("a question about a city is answered at length", async () => {
      const tab = new Tab(gateway, version);
      const stream = await tab.say("Tell me everything about San Francisco");
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.ok(stream.of("TEXT_MESSAGE_CONTENT").length >= 60, stream.text);
      assert.equal((await tab.agrees()).messages.at(-1).name, "experiences_agent");
    });

    test("a finished plan says so, and begins anew when told to", async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan my trip");
      await tab.answer(klm);
      await tab.answer(zoe);
      const before = await tab.agrees();
      const stream = await tab.say("Plan my trip");
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.match(stream.texts.join(), /start over/i);
      const after = await tab.agrees();
      assert.deepEqual(after.state, before.state);
      assert.equal((await tab.say("Start over")).outcome.type, "interrupt");
      assert.deepEqual((await tab.agrees()).state.itinerary, {});
      assert.equal(tab.questions[0].metadata.value.agent, "flights");
    });

    test("a city nobody knows is answered with those that are known", async () => {
      const tab = new Tab(gateway, version);
      const stream = await tab.say("Plan a trip to Atlantis");
      assert.deepEqual(stream.outcome, { type: "success" });
      assert.match(stream.texts.join(), /San Francisco/);
      await tab.agrees();
    });

    test("the caller's own cities count", async () => {
      const tab = new Tab(gateway, version, { state: { origin: "Paris", destination: "Tokyo", flights: [{ airline: "Mine" }] } });
      const stream = await tab.say("Plan my trip");
      assert.equal(stream.outcome.type, "interrupt");
      const { state } = await tab.agrees();
      assert.deepEqual([state.origin, state.destination, state.flights], ["Paris", "Tokyo", []]);
      const { options } = tab.questions[0].metadata.value;
      assert.equal(options.length, 2);
      assert.ok(options.every(({ departure, arrival }) => departure.includes("Paris") && arrival.includes("Tokyo")));
      await tab.answer(options[1]);
      assert.deepEqual((await tab.agrees()).state.flights, options);
    });

    test("another city, then a change of mind", async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan a trip to Paris for 5 days");
      assert.equal(tab.state.destination, "Paris");
      const choose = () => tab.questions[0].metadata.value.options.at(-1);
      await tab.answer(choose());
      await tab.answer(choose());
      const hotel = (await tab.agrees()).state.itinerary.hotel;
      await tab.say("I want the other hotel");
      assert.equal(tab.questions.length, 1);
      await tab.answer(tab.questions[0].metadata.value.options.find(({ name }) => name !== hotel.name));
      assert.deepEqual(tab.questions, []);
      assert.notDeepEqual((await tab.agrees()).state.itinerary.hotel, hotel);
      await tab.say("Start over");
      await tab.agrees();
    });
  });
}
