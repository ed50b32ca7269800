// The gateway's own page in two tabs, of which each does what the other has to see.

import assert from "node:assert/strict";
import { test } from "node:test";
import { agreesWhole, begin, hide, notice, openPlanner, option, pick, question, show, step, threadOf, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

/** Two tabs with the question for a flight: {first, second, id}. */
async function twoTabs(t) {
  const first = await openPlanner(t, gateway.url);
  const id = await begin(first);
  await question(first, /flight/i).waitFor();
  const second = await openPlanner(t, gateway.url, { context: first.context(), place: `#/t/travel/${id}` });
  await question(second, /flight/i).waitFor();
  return { first, second, id };
}

test("a plan is finished in a second tab, and the first one follows by itself", async (t) => {
  const { first, second, id } = await twoTabs(t);
  await pick(second, "KLM");
  await question(first, /hotel/i).waitFor();
  await agreesWhole(first, gateway, id);
  await pick(second, "Hotel Zephyr");
  for (const page of [first, second]) {
    await step(page, "complete");
    await unasked(page);
    const { state } = await agreesWhole(page, gateway, id);
    assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zephyr"]);
  }
});

test("both tabs answer at once: one answer counts, and both show which", async (t) => {
  const { first, second, id } = await twoTabs(t);
  const both = [first, second];
  // Neither may hear of the other's answer before it gives its own.
  await Promise.all(both.map(hide));
  await Promise.all([pick(first, "KLM"), pick(second, "United")]);
  for (const page of both) await question(page, /hotel/i).waitFor();
  await Promise.all(both.map(show));
  await pick(second, "Hotel Zephyr");
  for (const page of both) {
    await step(page, "complete");
    await unasked(page);
    const { messages } = await agreesWhole(page, gateway, id);
    assert.equal(messages.filter(({ content }) => /I'll book you/.test(content)).length, 2);
    assert.equal(await page.getByTestId("broken").count(), 0);
  }
});

test("a tab that was not looked at answers too late: it shows the thread as it stands", async (t) => {
  const { first, second, id } = await twoTabs(t);
  await hide(first);
  await pick(second, "KLM");
  await question(second, /hotel/i).waitFor();
  assert.equal(await question(first, /flight/i).count(), 1, "what is hidden follows nothing");

  await pick(first, "United");
  await notice(first, "interrupt_already_resolved").waitFor();
  await question(first, /hotel/i).waitFor();
  const { state } = await agreesWhole(first, gateway, id);
  assert.equal(state.itinerary.flight.airline, "KLM");
  assert.equal(await first.getByTestId("broken").count(), 0);

  await pick(second, "Hotel Zoe");
  await step(second, "complete");
  await show(first);
  await step(first, "complete");
  await agreesWhole(first, gateway, id);
});

test("a link to a thread opens it with its question", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);
  await question(page, /flight/i).waitFor();
  const other = await openPlanner(t, gateway.url, { place: new URL(page.url()).hash });
  await question(other, /flight/i).waitFor();
  assert.equal(await threadOf(other), id);
  await agreesWhole(other, gateway, id);
  await other.getByTestId("never-mind").click();
  await unasked(other);
  await unasked(page);
  await agreesWhole(page, gateway, id);
  assert.equal(await option(page, "KLM").count(), 0);
});
