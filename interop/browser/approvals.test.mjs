// Approvals by CopilotKit's own hooks and its own rendering of calls, on a page that knows nothing else of the gateway.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { idle, say, shows, thread } from "./lib/chat.mjs";
import { letter, refund, startDesk, why } from "./lib/desk.mjs";
import { servePages } from "./lib/servers.mjs";
import { until } from "../lib/until.mjs";

const pages = await servePages();
const { gateway, shop, told } = await startDesk();

async function opened(t, words, more) {
  const id = randomUUID();
  const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "approvals", url: `${gateway.url}/api/copilotkit`, thread: id, ...more })}`);
  await say(page, words);
  return Object.assign(page, { thread: id });
}

const call = (page, tool) => page.locator(`[data-testid="call"][data-tool="${tool}"]`);
const press = (page, tool, name) => call(page, tool).getByRole("button", { name, exact: true }).click();
const rendered = (page, tool) => page.locator(`[data-testid="copilot-tool-render"][data-tool-name="${tool}"]`).last();
const ended = (page) => shows(page, "That is that.");
/** What the thread says was decided about its calls. */
const decided = async (page) => (await thread(gateway, page.thread, "desk")).messages.filter(({ role }) => role === "tool").map(({ metadata }) => metadata.approval);

test("useInterrupt: a call is shown with its arguments and why, and approved", async (t) => {
  const page = await opened(t, "Refund it");
  await call(page, "refund").getByText(why).waitFor();
  assert.equal(await call(page, "refund").getByLabel("Arguments").inputValue(), JSON.stringify(refund));
  await press(page, "refund", "Approve");
  await ended(page);
  assert.deepEqual(shop.asked.at(-1), refund);
  assert.deepEqual(await decided(page), [{ decision: "approved", by: "local" }]);
});

test("useInterrupt: declined with a reason, edited, and approved for later calls, by the payload of resolve", async (t) => {
  const page = await opened(t, "Refund it and write");
  await call(page, "refund").getByLabel("Reason").fill("too much");
  await press(page, "refund", "Decline");
  await call(page, "write").getByLabel("Arguments").fill(JSON.stringify({ ...letter, text: "No." }));
  await press(page, "write", "Approve as edited");
  await ended(page);
  assert.deepEqual(shop.asked.at(-1), { ...letter, text: "No." });
  assert.equal((await told())[0], "not approved. The person said: too much");
  await say(page, "Refund it");
  await press(page, "refund", "Approve for thread");
  await idle(page);
  assert.deepEqual((await decided(page)).map(({ decision, remember }) => remember ?? decision), ["declined", "edited", "thread"]);
});

test("useInterrupt: a question that is cancelled is a call that is not made", async (t) => {
  const page = await opened(t, "Refund it");
  const before = shop.asked.length;
  await press(page, "refund", "Cancel");
  await ended(page);
  assert.deepEqual([shop.asked.length, await decided(page)], [before, [{ decision: "cancelled", by: "local" }]]);
});

test("useDefaultRenderTool: a call that is asked about reads as running, and one that was declined as done", async (t) => {
  const page = await opened(t, "Refund it");
  await rendered(page, "refund").filter({ hasText: "Running" }).waitFor();
  await press(page, "refund", "Decline");
  await ended(page);
  const declined = page.locator('[data-testid="copilot-tool-render"][data-result="not approved"]').filter({ hasText: "Done" });
  await declined.waitFor();
  await page.reload();
  await declined.waitFor();
});

test("useHumanInTheLoop: what it responds for a tool of the gateway decides nothing, and the question stays open", async (t) => {
  const page = await opened(t, "Refund it", { hook: "tool" });
  const before = shop.asked.length;
  page.allow(/not addressed by resume/);
  await page.getByTestId("tool").getByRole("button", { name: "Approve" }).click();
  await until("the client's refusal", () => page.problems.length > 0);
  const { status, interrupts } = await thread(gateway, page.thread, "desk");
  assert.deepEqual([status, interrupts.length, shop.asked.length], ["interrupted", 1, before]);
});
