// Calls of tools on the gateway's own page: the state of each, live, after a reload and after a takeover, no matter which client
// decided; and approvals that are remembered: given for the conversation or for always, listed, and revoked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "./lib/begun.mjs";
import { asked, became, call, card, decision, ended, press } from "./lib/calls.mjs";
import { say } from "./lib/chat.mjs";
import { long, startDesk } from "./lib/desk.mjs";
import { openAs } from "./lib/people.mjs";
import { openPlanner, unasked, visitor } from "./lib/planner.mjs";
import { ask, startRedis } from "./lib/servers.mjs";
import { keysFile } from "../lib/keys.mjs";
import { startProxy } from "../lib/proxy.mjs";
import { until } from "../lib/until.mjs";

const store = await startRedis();
const { gateway, another, shop } = await startDesk({ args: ["-store", store.url, "-lease", "1s"] });
const proxy = await startProxy();
const visit = visitor(gateway.url);

const remembered = (page) => page.getByTestId("remembered");
const approvals = async (path) => (await ask(`${gateway.url}${path}`)).body.approvals;

const opened = async (page, tool) => {
  await call(page, tool).locator("summary").click();
  return call(page, tool).innerText();
};

test("declined with a reason, and cancelled, are told apart, also after a reload", async (t) => {
  const page = await asked(t, visit, "Refund it and write");
  await answer(gateway, "desk", page.thread, { approved: false, reason: "not this customer" }, undefined);
  for (const when of ["live", "reloaded"]) {
    if (when === "reloaded") await page.reload();
    await became(page, "refund", "declined");
    await became(page, "write", "declined");
    assert.equal(await decision(page, "refund"), "Declined by you: “not this customer”", when);
    assert.equal(await decision(page, "write"), "Not approved: the question was cancelled by you", when);
  }
});

test("a call that failed says so, with the error", async (t) => {
  const page = await asked(t, visit, "Refund what was never bought");
  await answer(gateway, "desk", page.thread, { approved: true });
  await became(page, "refund", "failed");
  assert.match(await opened(page, "refund"), /Error[^]*no such order/);
  await page.reload();
  await became(page, "refund", "failed");
});

test("long arguments are cut, and shown whole when they are asked for", async (t) => {
  const page = await asked(t, visit, "Write at length");
  const cut = await opened(page, "write");
  assert.ok(cut.length < 2000 && cut.includes("Show all"), `${cut.length} characters`);
  await call(page, "write").getByTestId("show-all").click();
  assert.ok((await call(page, "write").innerText()).includes(long.text.trim().slice(-5000)));
});

test("after a takeover a call goes on from running to done, and what was declined still is", async (t) => {
  proxy.gateway = await another();
  t.after(() => proxy.gateway.stop());
  const page = await asked(t, (t, place) => openPlanner(t, proxy.url, { place }), "Refund it and write");
  page.allow(/Failed to load resource|net::ERR|Failed to fetch|network error/); // requests of the time without a gateway
  const release = shop.hold();
  const cut = assert.rejects(answer(proxy, "desk", page.thread, { approved: true }, { approved: false, reason: "no letters" }));
  await became(page, "refund", "running");
  const before = shop.asked.length;
  await proxy.gateway.kill();
  await cut;
  proxy.gateway = await another();
  await until("the other replica's request", () => shop.asked.length > before);
  release();
  for (const when of ["live", "reloaded"]) {
    if (when === "reloaded") await page.reload();
    await became(page, "refund", "done");
    await became(page, "write", "declined");
    assert.equal(await decision(page, "write"), "Declined by you: “no letters”", when);
  }
});

test("remembered for the conversation: later calls are made without a question, until that is revoked", async (t) => {
  const page = await asked(t, visit, "Refund it");
  await card(page, "refund").getByLabel("For this conversation").check();
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  await ended(page);
  assert.equal(await decision(page, "refund"), "Approved for this conversation by you. Remembered approvals");
  await say(page, "Refund it again");
  await page.locator('[data-testid="call-decision"][data-decision="remembered"]').waitFor();
  assert.equal(await decision(page, "refund"), "Made without asking, because it was approved before for this conversation. Remembered approvals");

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
  const page = await asked(t, visit, "Refund it");
  await card(page, "refund").getByLabel("Always for me").check();
  await press(page, "refund", "approve");
  await became(page, "refund", "done");

  await page.getByTestId("new-thread").click();
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
  await page.getByTestId("approvals-close").click();
});

test("a list that cannot be loaded says so, and is loaded when asked again", async (t) => {
  const page = await visit(t, `#/t/desk/${crypto.randomUUID()}`);
  page.allow(/404/); // this thread does not exist
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
  await page.getByTestId("approvals-close").click();
});

test("approvals are revoked by keyboard alone", async (t) => {
  const page = await asked(t, visit, "Refund it");
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
  const { args, keys } = keysFile(["ann"]);
  const page = await openAs(t, await another(args), keys, "ann", { place: `#/t/desk/${crypto.randomUUID()}` });
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
