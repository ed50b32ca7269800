// A phone: the list of threads is a drawer over the page, from which one gets back without a mouse too, and a conversation shows its
// newest line.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, begun } from "./lib/begun.mjs";
import { openPlanner, option, question, row, step, still, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, reducedMotion: "reduce" };
const visit = visitor(gateway.url, phone);

const toggle = (page) => page.getByTestId("threads-toggle");
const opened = (page) => page.locator('[data-testid="thread-list"][data-open]');
const closed = (page) => opened(page).waitFor({ state: "detached" });
const within = (page) => page.evaluate(() => document.activeElement.closest('[data-testid="thread-list"]') !== null);
const onToggle = (page) => page.waitForFunction(() => document.activeElement.dataset.testid === "threads-toggle");

/** A phone with a plan, and its drawer open, on a page that open(t, place) opens: {page, id}. */
async function drawer(t, open = visit) {
  const id = await begun(gateway, "travel", "Plan my trip");
  const page = await open(t, `#/t/travel/${id}`);
  await question(page, /flight/i).waitFor();
  await toggle(page).click();
  await opened(page).waitFor();
  await row(page, id).waitFor();
  return { page, id };
}

test("what lies behind the drawer is not to be reached", async (t) => {
  const { page } = await drawer(t);
  assert.equal(await within(page), true, "the drawer takes the focus");
  const names = new Set();
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    names.add(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent));
    const { inside, body } = await page.evaluate(() => ({
      inside: document.activeElement.closest('[data-testid="thread-list"], .shade') !== null,
      body: document.activeElement === document.body, // on its way round through the browser itself
    }));
    assert.ok(inside || body, `the focus is on ${[...names].at(-1)}`);
  }
  assert.ok([...names].some((name) => /^Delete/.test(name)), "the focus goes through the drawer");
});

test("Escape closes the drawer from wherever the focus is, and gives it back", async (t) => {
  const { page } = await drawer(t);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Escape");
  await closed(page);
  await onToggle(page);
});

test("Escape while a thread is renamed leaves the drawer open", async (t) => {
  const { page, id } = await drawer(t);
  await row(page, id).getByTestId("thread-rename").click();
  await page.getByTestId("thread-title").press("Escape");
  await page.getByTestId("thread-title").waitFor({ state: "detached" });
  assert.equal(await opened(page).count(), 1);
});

test("going somewhere closes the drawer", async (t) => {
  const { page } = await drawer(t);
  await page.getByTestId("new-thread").click();
  await closed(page);
  for (const leave of [() => page.goBack(), () => page.goForward()]) {
    await toggle(page).click();
    await opened(page).waitFor();
    await leave();
    await closed(page);
  }
});

test("on a wide window there is no drawer, and nothing lies behind it", async (t) => {
  const { page } = await drawer(t, (t, place) => openPlanner(t, gateway.url, { place, ...phone }));
  await page.setViewportSize({ width: 1440, height: 900 });
  await closed(page);
  await page.getByTestId("copilot-chat-textarea").click();
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "copilot-chat-textarea");
  await page.setViewportSize({ width: 390, height: 844 });
  await toggle(page).waitFor();
  assert.equal(await opened(page).count(), 0);
});

test("who answers from far up the conversation sees what comes of it", async (t) => {
  const id = await begun(gateway, "travel", "Plan my trip");
  await answer(gateway, "travel", id, "KLM");
  const page = await visit(t, `#/t/travel/${id}`);
  await question(page, /hotel/i).waitFor();
  await still(page);
  await page.getByTestId("copilot-scroll-content").locator("xpath=ancestor::div[3]").evaluate((list) => list.scrollTo({ top: 0 }));
  await page.getByTestId("copilot-scroll-to-bottom").waitFor(); // the list does not follow its growth any more
  await option(page, "Hotel Zoe").evaluate((button) => button.click()); // as a screen reader does: without scrolling to it
  await unasked(page);
  await step(page, "complete");
  await still(page);
});
