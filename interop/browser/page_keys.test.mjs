// The gateway's own page without a mouse.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getsFocus, tabTo } from "./lib/keyboard.mjs";
import { agreesWhole, openPlanner, option, question, starter, step, threadOf, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

/** Waits until the question has taken the focus by itself. */
const asked = (page) => page.waitForFunction(() => document.activeElement?.dataset.testid === "questions");

test("a trip is planned without a mouse", async (t) => {
  const page = await openPlanner(t, gateway.url);
  await page.getByTestId("welcome").waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the conversation");
  await page.keyboard.press("Enter");
  await tabTo(page, starter(page, "Plan my trip"), { within: 5 });
  await page.keyboard.press("Enter");
  const id = await threadOf(page);

  await question(page, /flight/i).waitFor();
  await asked(page);
  await tabTo(page, option(page, "KLM"), { within: 1 });
  await page.keyboard.press("Enter");
  await question(page, /hotel/i).waitFor();
  await asked(page);
  await tabTo(page, option(page, "Hotel Zoe"), { within: 3 });
  await page.keyboard.press("Space");

  await step(page, "complete");
  await unasked(page);
  await page.waitForFunction(() => document.activeElement?.id === "chat"); // the focus stays in the conversation
  const { state } = await agreesWhole(page, gateway, id);
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zoe"]);

  await tabTo(page, page.getByTestId("copilot-chat-textarea"));
  await page.keyboard.type("Start over");
  await page.keyboard.press("Enter");
  await asked(page);
  await tabTo(page, page.getByTestId("never-mind"), { within: 3 });
  await page.keyboard.press("Enter");
  await unasked(page);
  await agreesWhole(page, gateway, id);
});

test("the inspector is read without a mouse", async (t) => {
  const page = await openPlanner(t, gateway.url);
  await starter(page, "Plan my trip").press("Enter");
  await question(page, /flight/i).waitFor();
  await tabTo(page, page.getByTestId("inspector-open"));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByTestId("insp-tab-trace"));
  await page.keyboard.press("ArrowRight");
  const row = page.getByTestId("timeline-row");
  await row.first().waitFor();
  await page.waitForFunction(() => parseInt(document.querySelector('[data-testid="timeline-count"]')?.textContent) > 10);
  await tabTo(page, page.getByTestId("autoscroll"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Home");
  await getsFocus(page, row.first().getByRole("button").first());
  await page.keyboard.press("Enter");
  await row.first().locator(".insp-json").waitFor();
  const { type } = JSON.parse(await row.first().locator(".insp-json").textContent());
  assert.equal(type, await row.first().getAttribute("data-type"));
  await page.keyboard.press("ArrowDown");
  await getsFocus(page, row.nth(1).getByRole("button").first());
});
