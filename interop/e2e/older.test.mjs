// Clients before @ag-ui/client 0.0.59, which other libraries still pin: they refuse SUBAGENT_* events, and with them the run.

import "../lib/quiet.mjs";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { resolved, thread, user } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { olderClients } from "../lib/reference.mjs";

const gateway = await startGateway();

const klm = { airline: "KLM", departure: "Amsterdam (AMS)", arrival: "San Francisco (SFO)", price: "$650", duration: "11h 30m" };
const zoe = { name: "Hotel Zoe", location: "Union Square", price_per_night: "$320/night", rating: "4.4 stars" };

const standard = ({ id }, payload) => ({ resume: [resolved(id, payload)] });
const legacy = (event, payload) => ({ forwardedProps: { command: { resume: payload, interruptEvent: JSON.stringify(event) } } });

// How a client is asked, and how it answers: those that know no outcome read the question of the dialect before it.
const ways = {
  "/agents/travel?interrupts=legacy": legacy,
  "/api/copilotkit/agent/travel/run?interrupts=legacy": legacy,
  "/subgraphs": legacy,
  "/agents/travel": standard,
  "/api/copilotkit/agent/travel/run": standard,
};

const contents = (messages) => messages.map(({ id, role, content }) => ({ id, role, content }));

for (const [version, client] of Object.entries(olderClients)) {
  describe(version, () => {
    for (const [path, answer] of Object.entries(ways)) {
      if (answer === standard && /0\.0\.(45|53)/.test(version)) continue; // they know no outcome
      test(`a trip is planned to its end on ${path}`, async () => {
        const agent = new client.HttpAgent({ url: gateway.url + path });
        const run = async (parameters) => {
          const seen = [];
          let failed;
          await agent.runAgent(
            parameters,
            { onEvent: ({ event }) => void seen.push(event), onRunFailed: ({ error }) => void (failed = error) },
          );
          assert.equal(failed, undefined);
          assert.equal(seen.at(-1).type, "RUN_FINISHED");
          const [question] = seen.filter(({ name }) => name === "on_interrupt").map(({ value }) => JSON.parse(value));
          return question ?? seen.at(-1).outcome?.interrupts?.[0];
        };
        agent.addMessage(user("Plan my trip"));
        const flights = await run();
        assert.deepEqual((flights.metadata?.value ?? flights).options[0], klm);
        const hotels = await run(answer(flights, klm));
        assert.deepEqual((hotels.metadata?.value ?? hotels).recommendation, zoe);
        assert.equal(await run(answer(hotels, zoe)), undefined);

        const truth = await thread(gateway, agent.threadId);
        assert.deepEqual(agent.state.itinerary, { flight: klm, hotel: zoe });
        assert.deepEqual(agent.state, truth.state);
        assert.deepEqual(contents(agent.messages), contents(truth.messages));
      });
    }
  });
}
