// The list of threads on the gateway's own page, with more in it than fits, and with runs that are over at once.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { say } from "./lib/chat.mjs";
import { openPlanner, row, threadOf } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  quick: { type: script, description: Has one word, steps: [ { say: "Yes." } ] }
  other: { type: script, description: Has one word too, steps: [ { say: "No." } ] }
`,
});

const rows = (page) => page.getByTestId("thread");

test("a run that is over at once is in the list", async (t) => {
  const page = await openPlanner(t, gateway.url, { place: `#/t/quick/${randomUUID()}` });
  page.allow(/404/); // nobody has begun the thread that this names
  for (let i = 0; i < 4; i++) {
    await page.getByTestId("new-thread").click();
    await page.getByTestId("welcome").waitFor();
    const id = await threadOf(page);
    await say(page, `Is it number ${i}?`);
    await row(page, id).and(page.locator('[data-status="idle"]')).filter({ hasText: `Is it number ${i}?` }).waitFor();
  }
});

test("older threads stay in the list when one of them is opened, and go when they are deleted", async (t) => {
  const ids = [];
  for (let i = 0; i < 70; i++) ids.unshift(await begun(gateway, "other", `Thread ${i}`));
  const page = await openPlanner(t, gateway.url, { place: `#/t/other/${ids[0]}` });
  await page.getByTestId("thread-agent").selectOption("other");
  await row(page, ids[29]).waitFor();
  await rows(page).nth(30).waitFor({ state: "detached" }); // those of the other agent
  assert.equal(await rows(page).count(), 30);
  const older = page.getByRole("button", { name: "Show older" });
  for (const count of [60, 70]) {
    await older.click();
    await rows(page).nth(count - 1).waitFor();
  }
  await older.waitFor({ state: "detached" });

  const old = ids[65];
  // One that the page gives up for a newer one never finishes.
  const listed = page.waitForEvent("requestfinished", (request) => /\/threads\?agent=other/.test(request.url()));
  await row(page, old).getByRole("button").first().click();
  await row(page, old).and(page.locator("[data-here]")).waitFor();
  await listed;
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.equal(await rows(page).count(), 70);

  await row(page, ids[50]).hover();
  await row(page, ids[50]).getByTestId("thread-delete").click();
  await page.getByTestId("thread-delete-yes").click();
  await row(page, ids[50]).waitFor({ state: "detached" });
  assert.equal(await rows(page).count(), 69);
});
