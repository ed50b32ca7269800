// The list of threads on a phone: a drawer over the page, from which one gets back without a mouse too.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, openPlanner, question, row } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

const toggle = (page) => page.getByTestId("threads-toggle");
const opened = (page) => page.locator('[data-testid="thread-list"][data-open]');
const closed = (page) => opened(page).waitFor({ state: "detached" });
const within = (page) => page.evaluate(() => document.activeElement.closest('[data-testid="thread-list"]') !== null);
const onToggle = (page) => page.waitForFunction(() => document.activeElement.dataset.testid === "threads-toggle");

/** A phone with a plan, and its drawer open: {page, id}. */
async function drawer(t) {
  const page = await openPlanner(t, gateway.url, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  const id = await begin(page);
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
  const { page } = await drawer(t);
  await page.setViewportSize({ width: 1440, height: 900 });
  await closed(page);
  await page.getByTestId("copilot-chat-textarea").click();
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "copilot-chat-textarea");
  await page.setViewportSize({ width: 390, height: 844 });
  await toggle(page).waitFor();
  assert.equal(await opened(page).count(), 0);
});
