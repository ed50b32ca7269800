// Approvals that are remembered, on the gateway's own page: given for the conversation or for always, listed, and revoked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, became, card, decision, ended, press } from "./lib/calls.mjs";
import { say } from "./lib/chat.mjs";
import { startDesk } from "./lib/desk.mjs";
import { openAs } from "./lib/people.mjs";
import { openPlanner, unasked } from "./lib/planner.mjs";
import { ask } from "./lib/servers.mjs";
import { keysFile } from "../lib/keys.mjs";

const desk = await startDesk();
const { gateway } = desk;
const { args, keys } = keysFile(["ann"]);
const keyed = await startDesk({ args });

const remembered = (page) => page.getByTestId("remembered");
const approvals = async (path) => (await ask(`${gateway.url}${path}`)).body.approvals;

test("remembered for the conversation: later calls are made without a question, until that is revoked", async (t) => {
  const page = await asked(t, desk, "Refund it");
  await card(page, "refund").getByLabel("For this conversation").check();
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  await ended(page);
  assert.match(await decision(page, "refund"), /^Approved for this conversation by you/);
  await say(page, "Refund it again");
  await page.locator('[data-testid="call-decision"][data-decision="remembered"]').waitFor();

  await page.getByTestId("call-approvals").last().click();
  assert.match(await remembered(page).innerText(), /refund[^]*Called by desk[^]*Approved .*20\d\d.*ends .*20\d\d/);
  await page.getByTestId("revoke").click();
  await page.getByTestId("revoke-no").click();
  await page.getByTestId("revoke").click();
  await page.getByTestId("revoke-yes").click();
  await page.getByText("Revoked: refund.").waitFor();
  assert.equal(await remembered(page).count(), 0);
  assert.deepEqual(await approvals(`/threads/${page.thread}/approvals?agent=desk`), []);
  await page.getByTestId("approvals-close").click();
  await say(page, "Refund it once more");
  await card(page, "refund").waitFor();
});

test("always for me: another conversation is not asked, and finds it in its own list", async (t) => {
  const first = await asked(t, desk, "Refund it");
  await card(first, "refund").getByLabel("Always for me").check();
  await press(first, "refund", "approve");
  await became(first, "refund", "done");

  const page = await openPlanner(t, gateway.url, { place: `#/t/desk/${crypto.randomUUID()}` });
  page.allow(/404/);
  await page.getByTestId("welcome").waitFor();
  await say(page, "Refund it");
  await page.locator('[data-testid="call-decision"][data-decision="remembered"]').waitFor();
  await page.getByTestId("side-approvals").click();
  await page.route("**/me/approvals/*", (route) => route.fulfill({ status: 503, json: { error: { code: "store_unavailable", message: "The store is away." } } }));
  page.allow(/503/);
  await page.getByTestId("revoke").click();
  await page.getByTestId("revoke-yes").click();
  await page.getByText("It could not be revoked: The store is away.").waitFor();
  await page.unroute("**/me/approvals/*");
  await page.getByTestId("revoke").click();
  await page.getByTestId("revoke-yes").click();
  await page.getByText("Nothing is remembered for all of your conversations.").waitFor();
  assert.deepEqual(await approvals("/me/approvals"), []);
});

test("a list that cannot be loaded says so, and is loaded when asked again", async (t) => {
  const page = await openPlanner(t, gateway.url, { place: `#/t/desk/${crypto.randomUUID()}` });
  page.allow(/404/);
  page.allow(/503/);
  await page.getByTestId("welcome").waitFor();
  await page.route("**/me/approvals", (route) => route.fulfill({ status: 503, json: { error: { code: "store_unavailable", message: "The store is away." } } }));
  await page.getByTestId("side-approvals").click();
  const problem = page.getByTestId("approvals-problem");
  await problem.filter({ hasText: "The store is away." }).waitFor();
  await page.unroute("**/me/approvals");
  await problem.getByRole("button").click();
  await problem.waitFor({ state: "detached" });
  await page.getByText("Nothing is remembered in this conversation.").waitFor();
});

test("approvals are revoked by keyboard alone", async (t) => {
  const page = await asked(t, desk, "Refund it");
  await card(page, "refund").getByLabel("For this conversation").check();
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  await unasked(page);
  const focused = (testid) => page.waitForFunction((testid) => document.activeElement?.dataset.testid === testid, testid);
  await page.getByTestId("side-approvals").focus();
  await page.keyboard.press("Enter");
  await page.getByTestId("revoke").waitFor();
  await focused("approvals-close");
  await page.keyboard.press("Tab");
  await focused("revoke");
  await page.keyboard.press("Enter");
  await focused("revoke-yes");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await focused("revoke");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.getByText("Revoked: refund.").waitFor();
  await focused("approvals-close");
  await page.keyboard.press("Escape");
  await focused("side-approvals");
  await page.getByTestId("approvals").waitFor({ state: "detached" });
});

test("who is signed in finds the list in their menu, and the focus comes back there", async (t) => {
  const page = await openAs(t, keyed.gateway, keys, "ann", { place: `#/t/desk/${crypto.randomUUID()}` });
  page.allow(/404/);
  await page.getByTestId("welcome").waitFor();
  await say(page, "Refund it");
  await card(page, "refund").getByLabel("Always for me").check();
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  await page.getByTestId("person").click();
  await page.getByTestId("person-approvals").click();
  await remembered(page).filter({ hasText: "refund" }).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "person");
  assert.match(await decision(page, "refund"), /by you/);
});
