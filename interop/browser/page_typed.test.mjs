// An answer that is typed on the gateway's own page, where the agent takes messages for answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { agrees, say } from "./lib/chat.mjs";
import { openPlanner, question, step, threadOf } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

test("take the second one", async (t) => {
  const page = await openPlanner(t, gateway.url, { place: `#/t/travel/${crypto.randomUUID()}` });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, "Plan my trip");
  await question(page, "Which flight").waitFor();
  await say(page, "What does United cost?");
  await page.getByText("I do not know which of the answers you mean.", { exact: false }).waitFor();
  await question(page, "Which flight").waitFor();
  await say(page, "Take the second one");
  await question(page, "Which hotel").waitFor();
  await say(page, "the Ritz");
  await step(page, "complete");
  const { state, messages } = await agrees(page, gateway, await threadOf(page));
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["United", "The Ritz-Carlton"]);
  assert.equal(messages.filter(({ role }) => role === "user").length, 4);
});
