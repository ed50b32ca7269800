// The AG-UI Dojo's travel page plans its trip against POST /subgraphs, in the dialect it was written for: behind
// CopilotKit's runtime, over its single route, as the Dojo serves it.

import { HttpAgent } from "@ag-ui/client";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agrees, choose, say, shows } from "./lib/chat.mjs";
import { eventsOf, judgeFrames } from "./lib/frames.mjs";
import { startRuntime } from "./lib/reference.mjs";
import { servePages, startGateway } from "./lib/servers.mjs";

const pages = await servePages();
const gateway = await startGateway();
const runtime = await startRuntime({ subgraphs: new HttpAgent({ url: `${gateway.url}/subgraphs` }) });
after(() => runtime.close());

test("the Dojo's travel page plans a trip", async (t) => {
  const id = randomUUID();
  const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "legacy", url: runtime.url.single, thread: id })}`);
  await say(page, "Plan my trip");
  await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  await shows(page, "Speaking: flights");
  await choose(page, "KLM");
  await page.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
  await shows(page, "Flight: KLM");
  await choose(page, "Hotel Zoe");
  await shows(page, "Step: complete");
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
