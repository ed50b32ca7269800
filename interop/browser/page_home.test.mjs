// A page for any agent: the start page, an empty conversation, suggestions, and the state, which can be edited.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { idle, say } from "./lib/chat.mjs";
import { camera, eachLook } from "./lib/looks.mjs";
import { closeInspector, openPlanner, pick, placeOf, question, requestsOf, starter, threadOf, visitor } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";
import { startSuggester } from "./lib/suggester.mjs";
import { gate, says, startTeller } from "./lib/teller.mjs";

const model = await startSuggester();
const turn = gate();
const teller = await startTeller({ Wait: [turn.wait, ...says("Waited.")] });

const gateway = await startGateway({
  team: `
version: 1
models: { default: { base_url: "${model.url}", api_key: none, model: m } }
agents:
  pizza_desk:
    type: groupchat
    description: Takes your order and knows the oven
    manager: { type: sequential }
    state: { client: [ /order, /note ], initial: { order: { size: M, toppings: [ basil ], extra: { crispy: true } }, oven: 220 } }
    suggestions: [ What is on the menu?, { title: Order, message: I would like to order. } ]
    typed_answers: on
    attachments: { types: [ image/*, application/pdf ] }
    participants:
      - { name: clerk_agent, agent: clerk }
      - { name: cook, agent: cook }
  clerk: { type: script, description: Asks what you want, steps: [ { ask: { key: size, message: "Which size?", options: [ S, M ] } }, { say: "Noted." } ] }
  cook: { type: script, description: Bakes, steps: [ { say: "It is in the oven." } ] }
  guide:
    type: script
    serve: on
    description: Shows you around
    suggestions: { model: default, list: [ From the list ] }
    steps: [ { say: "This way." } ]
  mute: { type: script, serve: on, steps: [ { say: "Hm." } ] }
  teller: { type: agui, url: "${teller}" }
`,
});

const suggested = (page) => page.getByTestId("copilot-suggestion");
const agentCard = (page, id) => page.locator(`[data-testid="agent"][data-agent="${id}"]`);
const tools = (page, path) => page.locator(`.state-tools[data-path="${path}"]`);
const editor = (page) => page.getByTestId("state-editor");
const stateOf = async (agent, id) => (await ask(`${gateway.url}/threads/${id}?agent=${agent}`)).body.state;

const visit = visitor(gateway.url);

/** A new conversation with an agent: the page. page.suggests() tells how often the page has asked for suggestions in it. */
async function opened(t, agent) {
  const page = await visit(t, `#/t/${agent}`);
  const requests = requestsOf(t, page);
  await page.getByTestId("welcome").waitFor();
  return Object.assign(page, { suggests: () => requests.filter((request) => new URL(request.url()).pathname.endsWith("/suggest")).length });
}

/** A thread of the pizza desk with its state, and the clerk's question: {page, id}. */
async function ordered(t) {
  const id = await begun(gateway, "pizza_desk", "I would like to order.");
  const page = await visit(t, `#/t/pizza_desk/${id}`);
  await question(page, "Which size?").waitFor();
  return { page, id };
}

const patch = (id, agent, operations) =>
  fetch(`${gateway.url}/threads/${id}/state?agent=${agent}`, { method: "PATCH", headers: { "Content-Type": "application/json-patch+json" }, body: JSON.stringify(operations) });

test("a page without an agent lists those that are served, with the questions that wait for an answer", async (t) => {
  const { page, id } = await ordered(t);
  await page.getByTestId("all-agents").click();
  const card = agentCard(page, "pizza_desk");
  await card.getByText("Takes your order and knows the oven").waitFor();
  assert.deepEqual(await page.getByTestId("agent").evaluateAll((cards) => cards.map(({ dataset }) => dataset.agent)), ["guide", "mute", "pizza_desk", "teller"]);
  await page.waitForFunction(() => /^\(\d+\) AG-UI gateway$/.test(document.title)); // how many need an answer
  await card.getByTestId("agent-waiting").filter({ hasText: /^\d+ needs? your answer$/ }).click();
  await question(page, "Which size?").waitFor();
  assert.equal(placeOf(page).thread, id);
  await page.getByTestId("all-agents").click();
  await agentCard(page, "guide").getByRole("button", { name: "Guide" }).press("Enter");
  await page.getByTestId("welcome").getByText("Shows you around").waitFor();
  assert.equal(placeOf(page).agent, "guide");
  await page.goBack();
  await agentCard(page, "guide").waitFor();
});

test("an address that names an agent begins a conversation with it, and one of nobody says so", async (t) => {
  const page = await opened(t, "mute");
  assert.equal(placeOf(page).agent, "mute");
  await page.evaluate(() => void (location.hash = "#/t/nobody"));
  await page.getByTestId("no-agent").waitFor();
});

test("a page of which only one agent is served begins with that", async (t) => {
  const one = await startGateway({ team: "version: 1\nagents:\n  help_desk: { type: script, description: Helps, steps: [ { say: Hello } ] }\n" });
  const page = await openPlanner(t, one.url);
  await page.getByTestId("welcome").getByRole("heading", { name: "Help desk" }).waitFor();
  assert.equal(await page.title(), "Help desk");
  assert.equal(await page.getByTestId("all-agents").count(), 0);
});

test("an empty conversation says who the agent is, what it can do, and how to begin", async (t) => {
  const page = await opened(t, "pizza_desk");
  const home = page.getByTestId("welcome");
  await home.getByRole("heading", { name: "Pizza desk" }).waitFor();
  await home.getByText("Takes your order and knows the oven").waitFor();
  assert.match(await page.getByTestId("home-team").innerText(), /Clerk\s+Cook/);
  const abilities = page.getByTestId("abilities");
  for (const text of ["Asks you questions", "Takes typed answers to its questions", "Takes files: images, PDF"]) await abilities.getByText(text).waitFor();
  assert.equal(await page.locator(".brand").innerText(), "Pizza desk");
  assert.match(await page.title(), /^(\(\d+\) )?Pizza desk$/);
  await starter(page, "What is on the menu?").waitFor();
  await starter(page, "Order").press("Enter");
  await page.getByRole("main").getByText("I would like to order.", { exact: true }).first().waitFor();
  await question(page, "Which size?").waitFor();
});

test("what an agent suggests is shown after each turn, and not asked for while a question is open", async (t) => {
  const page = await opened(t, "pizza_desk");
  await starter(page, "Order").click();
  await question(page, "Which size?").waitFor();
  const before = page.suggests();
  await pick(page, "M");
  await suggested(page).filter({ hasText: "Order" }).waitFor();
  assert.equal(page.suggests(), before + 1);
});

test("a model suggests by what was said, before the first message and after", async (t) => {
  const page = await opened(t, "guide");
  await starter(page, "Begin here").click();
  await page.getByText("This way.").waitFor();
  await suggested(page).filter({ hasText: "After 1" }).click();
  await suggested(page).filter({ hasText: "After 2" }).waitFor();
  assert.ok(model.asked.some((told) => told.includes("Begin, please") && told.includes("This way.")), JSON.stringify(model.asked));
});

test("a run of another tab has suggestions here too", async (t) => {
  const page = await opened(t, "guide");
  await starter(page, "Begin here").click();
  await suggested(page).filter({ hasText: "After 1" }).waitFor();
  const second = await openPlanner(t, gateway.url, { context: page.context(), place: new URL(page.url()).hash });
  await suggested(second).filter({ hasText: "After 1" }).waitFor();
  await say(second, "More");
  await suggested(page).filter({ hasText: "After 2" }).waitFor();
});

test("an agent without suggestions is not asked for any", async (t) => {
  const page = await opened(t, "mute");
  await say(page, "Hello");
  await page.getByText("Hm.").waitFor();
  await idle(page);
  assert.equal(page.suggests(), 0);
  assert.equal(await starter(page, /./).count(), 0);
});

test("an empty state takes no room, until it is opened", async (t) => {
  const page = await opened(t, "mute");
  const width = async (id) => (await page.getByTestId(id).boundingBox()).width;
  assert.ok((await width("side")) < 60);
  await page.getByTestId("side-unfold").press("Enter");
  await page.getByTestId("state-tree").waitFor();
  assert.ok((await width("side")) > 250);
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "side");
});

test("the state can be changed, added to and removed from, by keyboard, where the agent lets clients write", async (t) => {
  const { page, id } = await ordered(t);
  assert.equal(await tools(page, "/oven").count(), 0);
  await tools(page, "/order/size").getByTestId("state-change").press("Enter");
  await page.getByTestId("state-value").fill("L");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByTestId("state-tree").getByText("L", { exact: true }).waitFor();
  await editor(page).waitFor({ state: "detached" });

  await tools(page, "/order/toppings").getByTestId("state-add").click();
  await page.getByTestId("state-value").fill("olives");
  await page.getByTestId("state-save").click();
  await editor(page).waitFor({ state: "detached" }); // what is written there would be found as text, too
  await page.getByTestId("state-tree").getByText("olives").waitFor();

  await tools(page, "/order/extra").getByTestId("state-remove").click();
  await page.getByTestId("state-save").click();
  await tools(page, "/order/extra").waitFor({ state: "detached" });

  await page.getByTestId("state-add-root").click();
  assert.deepEqual(await page.getByTestId("state-name").locator("option").allInnerTexts(), ["note"]);
  await page.getByTestId("state-kind").selectOption("List or object");
  await page.getByTestId("state-value").fill("[1,");
  await page.getByTestId("state-save").click();
  await page.getByTestId("state-said").getByText("as JSON").waitFor();
  await page.getByTestId("state-value").fill('["ring", 2]');
  await page.getByTestId("state-save").click();
  await editor(page).waitFor({ state: "detached" });
  await page.getByTestId("state-tree").getByText("ring").waitFor();
  assert.deepEqual(await stateOf("pizza_desk", id), { order: { size: "L", toppings: ["basil", "olives"] }, oven: 220, note: ["ring", 2] });
  await pick(page, "M"); // the question is open as before
  await page.getByText("It is in the oven.").waitFor();
});

test("what somebody else has changed is told before it is overwritten, and nothing that was written is lost", async (t) => {
  const { page, id } = await ordered(t);
  const begin = async () => {
    await tools(page, "/order/size").getByTestId("state-change").click();
    await page.getByTestId("state-value").fill("mine");
  };
  await begin();
  assert.equal((await patch(id, "pizza_desk", [{ op: "replace", path: "/order/size", value: "theirs" }, { op: "add", path: "/note", value: "x" }])).status, 200);
  await page.getByTestId("state-tree").getByText("theirs", { exact: true }).waitFor();
  assert.equal(await page.getByTestId("state-value").inputValue(), "mine");
  await page.getByTestId("state-save").click();
  await page.getByTestId("state-said").getByText("It is now: theirs").waitFor();
  await page.getByTestId("inspector-open").click(); // a draft outlives what it is written in
  await closeInspector(page);
  await page.getByTestId("state-over").click();
  await editor(page).waitFor({ state: "detached" });
  await page.getByTestId("state-tree").getByText("mine", { exact: true }).waitFor();
  assert.equal((await stateOf("pizza_desk", id)).order.size, "mine");

  await begin();
  await page.keyboard.press("Escape");
  await editor(page).waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "state-change");
});

test("a refusal is told beside what was written, which can be sent again", async (t) => {
  const { page, id } = await ordered(t);
  page.allow(/\b403\b/);
  const refusal = { status: 403, contentType: "application/json", body: JSON.stringify({ error: { code: "forbidden", message: "No." } }) };
  await page.route("**/state?*", (route) => (route.request().method() === "PATCH" ? route.fulfill(refusal) : route.continue()), { times: 2 });
  await tools(page, "/order/size").getByTestId("state-change").click();
  await page.getByTestId("state-value").fill("XL");
  await page.getByTestId("state-save").click();
  await page.getByTestId("state-said").getByText("may not be changed from here").waitFor();
  assert.equal(await page.getByTestId("state-value").inputValue(), "XL");
  await page.getByTestId("state-save").filter({ hasText: "Try again" }).click();
  await editor(page).waitFor({ state: "detached" });
  await page.getByTestId("state-tree").getByText("XL", { exact: true }).waitFor();
  assert.equal((await stateOf("pizza_desk", id)).order.size, "XL");
});

test("a change that is made while a turn runs waits for its end", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Hello");
  await page.getByText("You wrote: Hello").waitFor();
  await idle(page);
  const id = await threadOf(page);
  await say(page, "Wait");
  await page.getByTestId("working").waitFor();
  await page.getByTestId("side-unfold").click();
  await page.getByTestId("state-add-root").click();
  await page.getByTestId("state-name").fill("note");
  await page.getByTestId("state-value").fill("meanwhile");
  await page.getByTestId("state-save").click();
  await page.getByTestId("state-said").getByText("when the agent's turn ends").waitFor();
  turn.open();
  await editor(page).waitFor({ state: "detached" });
  await page.getByTestId("state-tree").getByText("meanwhile", { exact: true }).waitFor();
  assert.deepEqual(await stateOf("teller", id), { note: "meanwhile" });
});

eachLook("the start page, a home, and an edit of the state", async (t, look) => {
  const page = await openPlanner(t, gateway.url, look.options);
  const { stage, done } = camera(page, look, "home");
  await agentCard(page, "teller").waitFor();
  await stage("1 agents");
  await agentCard(page, "pizza_desk").getByRole("button", { name: "Pizza desk" }).click();
  await starter(page, "Order").waitFor();
  await page.getByTestId("abilities").waitFor();
  await stage("2 home", { end: false });
  await starter(page, "Order").click();
  await question(page, "Which size?").waitFor();
  if (look.phone) await page.getByTestId("pane-plan").click();
  await tools(page, "/order/toppings").getByTestId("state-change").click();
  await page.getByTestId("state-value").fill("[");
  await page.getByTestId("state-save").click();
  await stage("3 edit", { end: false });
  done();
});
