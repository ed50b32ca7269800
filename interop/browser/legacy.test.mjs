// The AG-UI Dojo's travel page plans its trip against POST /subgraphs, in the dialect it was written for: behind
// CopilotKit's runtime, over its single route, as the Dojo serves it.

import { HttpAgent } from "@ag-ui/client";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agrees, say, shows } from "./lib/chat.mjs";
import { startRuntime } from "./lib/reference.mjs";
import { servePages, startGateway } from "./lib/servers.mjs";
import { eventsOf, judgeFrames } from "../copilotkit/frames.mjs";

const pages = await servePages();
const gateway = await startGateway();
const runtime = await startRuntime({ subgraphs: new HttpAgent({ url: `${gateway.url}/subgraphs` }) });
after(() => runtime.close());

test("the Dojo's travel page plans a trip", async (t) => {
  const id = randomUUID();
  const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "legacy", url: runtime.url.single, thread: id })}`);
  const known = page.getByTestId("known").getByRole("listitem");
  await say(page, "Plan my trip");
  await shows(page, "Speaking: flights");
  // The Dojo's own tests look for an option by what is known of it, and want to find one element.
  await page.getByText(/KLM.*\$650.*11h 30m/).click();
  await shows(page, "Flight: KLM");
  await page.getByText(/Hotel Zoe.*Union Square.*\$320/).waitFor();
  assert.equal(await known.count(), 2, "the flights are known when one is chosen, the hotels are not yet");
  await page.getByText(/Hotel Zoe.*Union Square.*\$320/).click();
  await shows(page, "Step: complete");
  assert.equal(await known.count(), 5);
  await shows(page, "Hotel: Hotel Zoe");
  await shows(page, "Experiences: 4");
  const { state } = await agrees(page, gateway, id);
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zoe"]);

  await judgeFrames(page, { least: 3 });
  const events = page.streams.flatMap(({ text }) => eventsOf(text));
  assert.deepEqual(events.filter(({ type }) => type === "CUSTOM").map(({ name, value }) => [name, typeof value]), [
    ["on_interrupt", "string"],
    ["on_interrupt", "string"],
  ]);
  assert.deepEqual(events.filter(({ outcome }) => outcome !== undefined), [], "an outcome is of the other dialect");
});
