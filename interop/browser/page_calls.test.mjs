// Calls of tools on the gateway's own page: what became of each, live, after a reload and after a takeover, whoever decided on it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { became, call, decision, ended } from "./lib/calls.mjs";
import { say } from "./lib/chat.mjs";
import { long, refund, startDesk } from "./lib/desk.mjs";
import { camera } from "./lib/looks.mjs";
import { openPlanner } from "./lib/planner.mjs";
import { startRedis } from "./lib/servers.mjs";
import { ask } from "../lib/client.mjs";
import { startProxy } from "../lib/proxy.mjs";
import { until } from "../lib/until.mjs";

const store = await startRedis();
const { gateway, another, shop } = await startDesk({ args: ["-store", store.url, "-lease", "1s"] });
const proxy = await startProxy();

/** Opens the page at a new thread, and says something that has calls to be decided on. */
async function proposed(t, words, options) {
  const thread = crypto.randomUUID();
  const url = options?.url ?? gateway.url;
  const page = await openPlanner(t, url, { place: `#/t/desk/${thread}`, ...options });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, words);
  await page.locator('[data-testid="tool-call"][data-state="proposed"]').first().waitFor();
  return Object.assign(page, { path: `${url}/threads/${thread}` });
}

/** Decides on all open calls as another client does. */
async function decide({ path }, ...payloads) {
  const { interrupts } = (await ask(`${path}?agent=desk`)).body;
  const resume = interrupts.map(({ id }, i) => ({ interruptId: id, ...(payloads[i] ? { status: "resolved", payload: payloads[i] } : { status: "cancelled" }) }));
  const { status, text } = await ask(`${path}/resume?agent=desk`, { method: "POST", body: { resume } });
  assert.equal(status, 202, text);
}

const opened = async (page, tool) => {
  await call(page, tool).locator("summary").click();
  return call(page, tool).innerText();
};

test("a call is proposed, running and done, with its arguments and its result", async (t) => {
  const page = await proposed(t, "Refund it");
  const release = shop.hold();
  await decide(page, { approved: true });
  await became(page, "refund", "running");
  release();
  await became(page, "refund", "done");
  assert.equal(await decision(page, "refund"), "Approved by you");
  assert.match(await opened(page, "refund"), /Arguments[^]*order A-1[^]*euros 40[^]*Result[^]*done refund/);
  await page.reload();
  await became(page, "refund", "done");
});

test("declined with a reason, and cancelled, are told apart, also after a reload", async (t) => {
  const page = await proposed(t, "Refund it and write");
  await decide(page, { approved: false, reason: "not this customer" });
  for (const look of ["live", "reloaded"]) {
    if (look === "reloaded") await page.reload();
    await became(page, "refund", "declined");
    await became(page, "write", "declined");
    assert.equal(await decision(page, "refund"), "Declined by you: “not this customer”", look);
    assert.equal(await decision(page, "write"), "Not approved: the question was cancelled by you", look);
  }
});

test("a call that failed says so, with the error", async (t) => {
  const page = await proposed(t, "Refund what was never bought");
  await decide(page, { approved: true });
  await became(page, "refund", "failed");
  assert.match(await opened(page, "refund"), /Error[^]*no such order/);
  await page.reload();
  await became(page, "refund", "failed");
});

test("an edited call shows what it was made with, and what was proposed", async (t) => {
  const page = await proposed(t, "Refund it");
  await decide(page, { approved: true, editedArgs: { ...refund, euros: 20 }, reason: "half is enough" });
  await became(page, "refund", "done");
  for (const look of ["live", "reloaded"]) {
    if (look === "reloaded") await page.reload();
    assert.equal(await decision(page, "refund"), "Approved with changed arguments by you: “half is enough”", look);
    assert.match(await opened(page, "refund"), /Called with[^]*euros changed 20[^]*Proposed by the agent[^]*euros 40/, look);
  }
});

test("a call that was approved before says under which approval it was made", async (t) => {
  const page = await proposed(t, "Refund it");
  await decide(page, { approved: true, remember: "thread" });
  await became(page, "refund", "done");
  assert.equal(await decision(page, "refund"), "Approved for this conversation by you. Remembered approvals");
  await ended(page);
  await say(page, "Refund it again");
  await page.locator('[data-testid="call-decision"][data-decision="remembered"]').waitFor();
  assert.equal(await decision(page, "refund"), "Made without asking, because it was approved before for this conversation. Remembered approvals");
});

test("long arguments are cut, and shown whole when they are asked for", async (t) => {
  const page = await proposed(t, "Write at length");
  const cut = await opened(page, "write");
  assert.ok(cut.length < 2000 && cut.includes("Show all"), `${cut.length} characters`);
  await call(page, "write").getByTestId("show-all").click();
  assert.ok((await call(page, "write").innerText()).includes(long.text.trim().slice(-5000)));
});

test("after a takeover a call goes on from running to done, and what was declined still is", async (t) => {
  proxy.gateway = await another();
  t.after(() => proxy.gateway.stop());
  const page = await proposed(t, "Refund it and write", { url: proxy.url });
  page.allow(/Failed to load resource|net::ERR|Failed to fetch|network error/); // requests of the time without a gateway
  const release = shop.hold();
  await decide(page, { approved: true }, { approved: false, reason: "no letters" });
  await became(page, "refund", "running");
  const asked = shop.asked.length;
  await proxy.gateway.kill();
  proxy.gateway = await another();
  await until("the other replica's request", () => shop.asked.length > asked);
  release();
  for (const look of ["live", "reloaded"]) {
    if (look === "reloaded") await page.reload();
    await became(page, "refund", "done");
    await became(page, "write", "declined");
    assert.equal(await decision(page, "write"), "Declined by you: “no letters”", look);
  }
});

test("calls of each kind, for people to look at", async (t) => {
  const page = await proposed(t, "Refund it and write", { reducedMotion: "reduce" });
  await decide(page, { approved: true, editedArgs: { ...refund, euros: 20 } }, { approved: false, reason: "not by letter" });
  await became(page, "write", "declined");
  await ended(page);
  await opened(page, "refund");
  const { stage, done } = camera(page, "light calls");
  await stage("calls", { end: false });
  done();
});
