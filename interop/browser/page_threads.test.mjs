// What is on the gateway's own page beside one plan: the others, and the other agents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { idle, say } from "./lib/chat.mjs";
import { agreesWhole, begin, finish, openPlanner, option, pick, placeOf, question, row, step, team, threadOf, unasked } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();
const teams = await startGateway({ team });

const thread = async (at, id, agent = "travel") => (await ask(`${at.url}/threads/${id}?agent=${agent}`)).body;
const title = (page, id) => row(page, id).locator(".thread-title");

/** Waits until the page is at another thread than the one named; returns its id. */
async function elsewhere(page, id) {
  await page.waitForURL((url) => !url.hash.endsWith(id));
  return threadOf(page);
}

test("one goes back to an old plan and goes on with it", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const old = await begin(page);
  await question(page, /flight/i).waitFor();
  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  const paris = await begin(page, "Five days in Paris");
  assert.notEqual(paris, old);
  await question(page, /flight/i).waitFor();
  await agreesWhole(page, gateway, paris);

  await row(page, old).getByRole("button").first().click();
  await option(page, "KLM").waitFor();
  await agreesWhole(page, gateway, old);
  await finish(page);
  await agreesWhole(page, gateway, old);
  await page.goBack();
  await question(page, /flight/i).waitFor();
  await agreesWhole(page, gateway, paris);
});

test("a plan gets a name, a copy, and is deleted", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page);
  await finish(page);
  await row(page, id).hover();
  await row(page, id).getByTestId("thread-rename").click();
  await page.getByTestId("thread-title").fill("Honeymoon");
  await page.keyboard.press("Enter");
  await title(page, id).filter({ hasText: /^Honeymoon$/ }).waitFor();
  assert.equal((await thread(gateway, id)).title, "Honeymoon");

  await row(page, id).hover();
  await row(page, id).getByTestId("thread-fork").click();
  const copy = await elsewhere(page, id);
  await step(page, "complete");
  const { messages } = await agreesWhole(page, gateway, copy);
  const contents = (all) => all.map(({ role, content }) => [role, content]);
  assert.deepEqual(contents(messages), contents((await thread(gateway, id)).messages));

  await row(page, id).hover();
  await row(page, id).getByTestId("thread-delete").click();
  await page.getByTestId("thread-delete-yes").click();
  await row(page, id).waitFor({ state: "detached" });
  assert.equal((await thread(gateway, id)).error.code, "not_found");
  assert.equal(await threadOf(page), copy);

  await row(page, copy).hover();
  await row(page, copy).getByTestId("thread-delete").click();
  await page.getByTestId("thread-delete-yes").click();
  await page.getByTestId("welcome").waitFor();
  assert.notEqual(await threadOf(page), copy);
});

test("a plan is copied from a message on, and the copy goes its own way", async (t) => {
  const page = await openPlanner(t, gateway.url);
  const id = await begin(page, "Tell me about San Francisco");
  await page.getByTestId("copilot-regenerate-button").waitFor();
  await say(page, "Plan my trip");
  await finish(page);
  const whole = await agreesWhole(page, gateway, id);
  const answer = page.locator(`[data-message-id="${whole.messages[1].id}"]`);
  await answer.hover();
  await answer.getByTestId("message-fork").click();
  const copy = await elsewhere(page, id);
  await page.getByTestId("copilot-assistant-message").waitFor();
  const { messages } = await agreesWhole(page, gateway, copy);
  assert.deepEqual(messages.map(({ content }) => content), whole.messages.slice(0, 2).map(({ content }) => content));
  await say(page, "Plan my trip");
  await question(page, /flight/i).waitFor();
  assert.deepEqual((await thread(gateway, id)).messages, whole.messages);
});

test("another agent's questions, of several kinds, are answered together", async (t) => {
  const page = await openPlanner(t, teams.url);
  await page.getByTestId("agent-switch").selectOption("order");
  await page.getByTestId("welcome").waitFor();
  await say(page, "A coat, please");
  await question(page, "Which size?").waitFor();
  const { agent, thread: id } = placeOf(page);
  assert.equal(agent, "order");
  const send = page.getByTestId("send-answers");
  assert.equal(await send.isDisabled(), true);
  await pick(page, "M");
  await pick(page, "Harbour");
  assert.equal(await send.isDisabled(), true);
  await page.reload();
  await pick(page, "L");
  await pick(page, "Harbour");
  await question(page, "Which name").getByRole("textbox").fill("Ada");
  await send.click();
  await unasked(page);
  await page.getByText("Ordered: size L for Ada.").waitFor();
  await idle(page);
  const { state, runs } = await thread(teams, id, "order");
  assert.deepEqual(state, { order: { size: "L", shop: { name: "Harbour", open: "until 18:00" }, name: "Ada" } });
  assert.equal(runs.length, 2);
  const shown = page.getByTestId("state-tree");
  for (const value of ["Ada", "Harbour"]) await shown.getByText(value, { exact: true }).waitFor();
});

test("an agent nobody serves, and a place that is none, do not blank the page", async (t) => {
  const page = await openPlanner(t, teams.url, { place: "#/t/nobody/some-thread" });
  await page.getByTestId("no-agent").getByRole("button", { name: "order" }).click();
  await page.getByTestId("welcome").waitFor();
  for (const place of ["#/t/%E0%A4%A/x", "#/nowhere", "#garbage", "#/t/travel/a/b/c"]) {
    await page.evaluate((hash) => void (location.hash = hash), place);
    await page.getByTestId("agents").waitFor();
    await page.evaluate(() => void (location.hash = "#/t/travel"));
    await page.waitForURL(/#\/t\/travel\/[\w-]{36}$/);
    await page.getByTestId("welcome").waitFor();
  }
  page.allow(/404/); // nobody has begun the thread that this names
  await page.evaluate(() => void (location.hash = "#/inspect/travel/never-begun"));
  await page.getByTestId("inspector").waitFor();
  assert.equal(await page.getByTestId("broken").count(), 0);
});
