// Approvals on the gateway's own page: what a person is shown of a call, and each way to decide on it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, became, call, card, decision, ended, press } from "./lib/calls.mjs";
import { say } from "./lib/chat.mjs";
import { letter, refund, startDesk, why } from "./lib/desk.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { openPlanner, unasked, visitor } from "./lib/planner.mjs";
import { until } from "../lib/until.mjs";

const desk = await startDesk();
const { gateway, shop, told } = desk;
const visit = visitor(gateway.url);

const reason = (page, tool) => card(page, tool).getByTestId("approval-reason");
const field = (page, tool, name) => card(page, tool).getByLabel(name, { exact: true });
const send = (page) => page.getByTestId("send-answers");

/** Opens the newest call of a tool, and returns what it shows. */
const opened = async (page, tool) => {
  await call(page, tool).locator("summary").click();
  return call(page, tool).innerText();
};

test("a card shows the call and why; approved, it is made, is running and then done, in another tab and after a reload too", async (t) => {
  const page = await asked(t, visit, "Refund it");
  const shown = await card(page, "refund").innerText();
  for (const part of [why, "refund", "Gives money back.", "order", "A-1", "euros", "40"]) assert.ok(shown.includes(part), `${part} in ${shown}`);
  await became(page, "refund", "proposed");
  const other = await openPlanner(t, gateway.url, { context: page.context(), place: `#/t/desk/${page.thread}` });
  await card(other, "refund").waitFor();
  const release = shop.hold();
  await press(page, "refund", "approve");
  await became(page, "refund", "running");
  release();
  for (const tab of [page, other]) {
    await became(tab, "refund", "done");
    await unasked(tab);
  }
  await ended(page);
  assert.deepEqual(shop.asked.at(-1), refund);
  assert.equal(await decision(page, "refund"), "Approved by you");
  assert.match(await opened(page, "refund"), /Arguments[^]*order A-1[^]*euros 40[^]*Result[^]*done refund/);
  await page.reload();
  await became(page, "refund", "done");
});

test("arguments are edited in a form, held against the schema, and marked where they are changed", async (t) => {
  const page = await asked(t, visit, "Refund it");
  await press(page, "refund", "edit");
  await field(page, "refund", "Euros").fill("400");
  await press(page, "refund", "approve");
  await card(page, "refund").getByText("These arguments do not fit the tool.").waitFor();
  await field(page, "refund", "Euros").fill("20");
  await card(page, "refund").getByTestId("approval-changes").filter({ hasText: /euros[^]*40[^]*20/ }).waitFor();
  assert.equal(await card(page, "refund").getByLabel("Always for me").isDisabled(), true, "with changed arguments nothing is remembered");
  await reason(page, "refund").fill("half is enough");
  await press(page, "refund", "edit"); // closes the form
  await card(page, "refund").locator("[data-changed]").filter({ hasText: "20" }).waitFor();
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  await ended(page);
  assert.deepEqual(shop.asked.at(-1), { ...refund, euros: 20 });
  assert.match((await told()).at(-1), /changed the arguments[^]*half is enough|half is enough[^]*changed the arguments/);
  for (const when of ["live", "reloaded"]) {
    if (when === "reloaded") await page.reload();
    await became(page, "refund", "done");
    assert.equal(await decision(page, "refund"), "Approved with changed arguments by you: “half is enough”", when);
    assert.match(await opened(page, "refund"), /Called with[^]*euros changed 20[^]*Proposed by the agent[^]*euros 40/, when);
  }
});

test("a card shows each digit and each character of the arguments, and an edit changes nothing else", async (t) => {
  const page = await asked(t, visit, "Move it");
  const shown = await card(page, "move").innerText();
  for (const part of ["9007199254740993", "pay U+202E000,1"]) assert.ok(shown.includes(part), `${part} in ${shown}`);
  await page.shot("approval-exact");
  await press(page, "move", "edit");
  assert.equal(await field(page, "move", "Account").inputValue(), "9007199254740993");
  await card(page, "move").getByTestId("unseen").filter({ hasText: "pay ⟦U+202E⟧000,1" }).waitFor();
  await field(page, "move", "Note").fill("pay 1");
  await press(page, "move", "approve");
  await became(page, "move", "done");
  assert.match(shop.bodies.at(-1), /"account": ?9007199254740993\b/);
  assert.match(shop.bodies.at(-1), /"note": ?"pay 1"/);
  assert.match(await opened(page, "move"), /account 9007199254740993/);
});

test("what the gateway refuses is said on the card, and can be changed", async (t) => {
  const page = await asked(t, visit, "Refund it");
  page.allow(/413/);
  await page.route("**/api/copilotkit/agent/*/run", (route) => route.fulfill({ status: 413, json: { error: { code: "too_large", message: "The request is too large." } } }));
  await reason(page, "refund").fill("as it is");
  await press(page, "refund", "approve");
  await page.getByTestId("refusal").waitFor();
  await page.unroute("**/api/copilotkit/agent/*/run");
  assert.equal(await reason(page, "refund").inputValue(), "as it is");
  await became(page, "refund", "proposed");
  await press(page, "refund", "decline");
  await became(page, "refund", "declined");
});

test("of several calls each is decided by itself, and all are sent together", async (t) => {
  const page = await asked(t, visit, "Refund it and write");
  const before = shop.asked.length;
  assert.equal(await send(page).isDisabled(), true);
  await press(page, "refund", "decline");
  await reason(page, "refund").fill("too much");
  assert.equal(await send(page).isDisabled(), true, "one is not decided");
  await press(page, "write", "edit");
  await field(page, "write", "Text").fill("Dear Ann, no.");
  await press(page, "write", "approve");
  await send(page).click();
  await became(page, "refund", "declined");
  await became(page, "write", "done");
  await ended(page);
  assert.deepEqual(shop.asked.slice(before), [{ ...letter, text: "Dear Ann, no." }]);
  assert.equal((await told())[0], "not approved. The person said: too much");
});

test("a decision is taken back by a second click; all, or the rest, are decided at once", async (t) => {
  const page = await asked(t, visit, "Refund it and write");
  await press(page, "refund", "approve");
  await press(page, "refund", "approve");
  assert.equal(await card(page, "refund").getByTestId("approve").getAttribute("aria-pressed"), "false");
  await press(page, "refund", "decline");
  await page.getByTestId("approve-all").filter({ hasText: "Approve the rest" }).click();
  assert.equal(await page.getByTestId("approve-all").count(), 0);
  await page.keyboard.press("Enter"); // the focus is on what sends them
  await became(page, "refund", "declined");
  await became(page, "write", "done");
});

test("arguments that are not shown whole are said to be so, cannot be edited, and are not approved of with all others", async (t) => {
  const page = await asked(t, visit, "Write at length and refund");
  const letter = card(page, "write");
  await letter.getByTestId("truncated").waitFor();
  assert.equal(await letter.getByTestId("edit").count(), 0);
  assert.equal(await page.getByTestId("approve-all").count(), 0);
  await page.getByTestId("decline-all").click();
  await send(page).click();
  await became(page, "write", "declined");
  await became(page, "refund", "declined");
});

test("arguments with hidden parts are said to be so, and cannot be edited", async (t) => {
  const page = await asked(t, visit, "Write to her address");
  await card(page, "write").getByTestId("masked").waitFor();
  assert.equal(await card(page, "write").getByTestId("edit").count(), 0);
  assert.doesNotMatch(await page.content(), /ann@example\.org/);
  await press(page, "write", "approve");
  await became(page, "write", "done");
  assert.equal(shop.asked.at(-1).to, "ann@example.org");
});

test("where an agent lets nothing be remembered, nothing is offered", async (t) => {
  const page = await asked(t, visit, "Refund it", "plain");
  assert.equal(await card(page, "refund").getByTestId("approval-remember").count(), 0);
});

test("what was written on a card survives the inspector, other threads and a reload", async (t) => {
  const page = await asked(t, visit, "Refund it");
  await reason(page, "refund").fill("half is enough");
  await press(page, "refund", "edit");
  await field(page, "refund", "Euros").fill("20");
  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  await page.goBack();
  await card(page, "refund").waitFor();
  assert.equal(await reason(page, "refund").inputValue(), "half is enough");
  assert.equal(await field(page, "refund", "Euros").inputValue(), "20");
  await page.reload();
  await card(page, "refund").waitFor();
  await became(page, "refund", "proposed");
  assert.equal(await reason(page, "refund").inputValue(), "half is enough");
  assert.equal(await field(page, "refund", "Euros").inputValue(), "20");
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  assert.deepEqual(shop.asked.at(-1), { ...refund, euros: 20 });
});

test("the inspector shows the same card, and answers by it", async (t) => {
  const page = await asked(t, visit, "Refund it");
  await page.getByTestId("inspector-open").click();
  await page.getByTestId("insp-tab-questions").click();
  const answer = page.getByTestId("inspector-answer");
  await answer.getByTestId("approval-reason").fill("by the inspector");
  await answer.getByTestId("decline").click();
  await became(page, "refund", "declined");
  await until("the model is told the reason", async () => (await told()).at(-1) === "not approved. The person said: by the inspector");
});

test("a call is edited and approved of by keyboard alone, and the focus is never lost", async (t) => {
  const page = await asked(t, visit, "Refund it");
  const focused = () => page.evaluate(() => document.activeElement?.closest("[data-testid]")?.dataset.testid);
  const gets = (testid) => page.waitForFunction((testid) => document.activeElement?.closest("[data-testid]")?.dataset.testid === testid, testid);
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const tabTo = async (testid) => {
    for (let i = 0; i < 20 && (await focused()) !== testid; i++) await press("Tab");
    assert.equal(await focused(), testid);
  };
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "questions"); // the question takes the focus
  await tabTo("edit");
  await press("Enter");
  await gets("approval-arguments");
  await field(page, "refund", "Order").waitFor();
  const label = () => page.evaluate(() => document.activeElement?.labels?.[0]?.textContent);
  for (let i = 0; i < 5 && (await label()) !== "Euros"; i++) await press("Tab");
  await press("Control+a");
  await page.keyboard.type("25");
  await tabTo("edit");
  await press("Enter");
  await gets("edit");
  await tabTo("undo-edit");
  await tabTo("approval-reason");
  await page.keyboard.type("by keyboard");
  await tabTo("approve");
  await press("Enter");
  await became(page, "refund", "done");
  await unasked(page);
  await page.waitForFunction(() => document.activeElement?.id === "chat");
  assert.deepEqual(shop.asked.at(-1), { ...refund, euros: 25 });
});

looksTogether("cards, calls and the list of what is remembered", async (t, look) => {
  const page = await asked(t, (t, place) => openPlanner(t, gateway.url, { place, ...look.options }), "Refund it");
  const { stage, done } = camera(page, look);
  await stage("approval 1 a call");
  await press(page, "refund", "edit");
  await field(page, "refund", "Euros").fill("20");
  await stage("approval 2 edited", { end: false });
  await press(page, "refund", "approve");
  await became(page, "refund", "done");
  await ended(page);
  await say(page, "Write at length and refund");
  await card(page, "write").waitFor();
  await press(page, "write", "decline");
  await card(page, "refund").getByLabel("For this conversation").check();
  await press(page, "refund", "approve");
  await stage("approval 3 of several, and long", { end: false });
  await send(page).click();
  await unasked(page);
  await page.locator('[data-testid="tool-call"] summary').first().click();
  await page.locator('[data-testid="tool-call"] summary').last().click();
  await stage("approval 4 calls", { end: false });
  if (look.phone) await page.getByTestId("pane-plan").click();
  await page.getByTestId("side-approvals").click();
  await page.getByTestId("revoke").click();
  await stage("approval 5 remembered", { end: false });
  done();
});
