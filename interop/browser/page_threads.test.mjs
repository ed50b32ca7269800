// What is on the gateway's own page beside one plan: the others, and the other agents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, begun } from "./lib/begun.mjs";
import { say } from "./lib/chat.mjs";
import { agreesAsked, agreesWhole, begin, option, pick, placeOf, question, row, team, threadOf, visitor } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";

const gateway = await startGateway({ team });
const visit = visitor(gateway.url);

const thread = async (id, agent) => (await ask(`${gateway.url}/threads/${id}?agent=${agent}`)).body;
const title = (page, id) => row(page, id).locator(".thread-title");

/** Waits until the page is at another thread than the one named; returns its id. */
async function elsewhere(page, id) {
  await page.waitForURL((url) => !url.hash.endsWith(id));
  return threadOf(page);
}

test("one goes back to an old plan and goes on with it", async (t) => {
  const old = await begun(gateway, "travel", "Plan my trip");
  const page = await visit(t, `#/t/travel/${old}`);
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
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await agreesWhole(page, gateway, old);
  await page.goBack();
  await question(page, /flight/i).waitFor();
  await agreesWhole(page, gateway, paris);
});

test("a conversation gets a name, a copy, and is deleted", async (t) => {
  const id = await begun(gateway, "order", "A coat, please");
  await answer(gateway, "order", id, "M", "Harbour", "Ada");
  const page = await visit(t, `#/t/order/${id}`);
  await row(page, id).hover();
  await row(page, id).getByTestId("thread-rename").click();
  await page.getByTestId("thread-title").fill("Honeymoon");
  await page.keyboard.press("Enter");
  await title(page, id).filter({ hasText: /^Honeymoon$/ }).waitFor();
  assert.equal((await thread(id, "order")).title, "Honeymoon");

  await row(page, id).hover();
  await row(page, id).getByTestId("thread-fork").click();
  const copy = await elsewhere(page, id);
  await page.getByText("Ordered: size M for Ada.").waitFor();
  const { messages, state } = await agreesAsked(page, gateway, copy, "order");
  const original = await thread(id, "order");
  const contents = (all) => all.map(({ role, content }) => [role, content]);
  assert.deepEqual([contents(messages), state], [contents(original.messages), original.state]);

  await row(page, id).hover();
  await row(page, id).getByTestId("thread-delete").click();
  await page.getByTestId("thread-delete-yes").click();
  await row(page, id).waitFor({ state: "detached" });
  assert.equal((await thread(id, "order")).error.code, "not_found");
  assert.equal(await threadOf(page), copy);

  await row(page, copy).hover();
  await row(page, copy).getByTestId("thread-delete").click();
  await page.getByTestId("thread-delete-yes").click();
  await page.getByTestId("welcome").waitFor();
  assert.notEqual(await threadOf(page), copy);
});

test("a plan is copied from a message on, and the copy goes its own way", async (t) => {
  const id = await begun(gateway, "travel", "Tell me about San Francisco");
  await begun(gateway, "travel", "Plan my trip", id);
  for (const choice of ["KLM", "Hotel Zoe"]) await answer(gateway, "travel", id, choice);
  const whole = await thread(id, "travel");
  const page = await visit(t, `#/t/travel/${id}`);
  const told = page.locator(`[data-message-id="${whole.messages[1].id}"]`);
  await told.hover();
  await told.getByTestId("message-fork").click();
  const copy = await elsewhere(page, id);
  await page.getByTestId("copilot-assistant-message").waitFor();
  const { messages } = await agreesWhole(page, gateway, copy);
  assert.deepEqual(messages.map(({ content }) => content), whole.messages.slice(0, 2).map(({ content }) => content));
  await say(page, "Plan my trip");
  await question(page, /flight/i).waitFor();
  assert.deepEqual((await thread(id, "travel")).messages, whole.messages);
});

test("an agent nobody serves, and a place that is none, do not blank the page", async (t) => {
  const page = await visit(t, "#/t/nobody/some-thread");
  await page.getByTestId("no-agent").getByRole("button", { name: "order" }).click();
  await page.getByTestId("welcome").waitFor();
  for (const place of ["#/t/%E0%A4%A/x", "#/nowhere", "#garbage", "#/t/travel/a/b/c"]) {
    await page.evaluate((hash) => void (location.hash = hash), place);
    await page.getByTestId("agents").waitFor();
    await page.evaluate(() => void (location.hash = "#/t/travel"));
    await page.waitForURL(/#\/t\/travel\/[\w-]{36}$/);
    await page.getByTestId("welcome").waitFor();
  }
  await page.getByTestId("agent-switch").selectOption("order");
  await page.waitForURL(/#\/t\/order\/[\w-]{36}$/);
  await page.getByTestId("welcome").waitFor();
  assert.equal(placeOf(page).agent, "order");
  page.allow(/404/); // nobody has begun the thread that this names
  await page.evaluate(() => void (location.hash = "#/inspect/travel/never-begun"));
  await page.getByTestId("inspector").waitFor();
  assert.equal(await page.getByTestId("broken").count(), 0);
});
