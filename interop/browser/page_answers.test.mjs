// Questions on the gateway's own page: what a person has written is what is sent, and nothing that can go wrong with an
// answer leaves a question that cannot be answered. And calls of a page's tools, of which this page has none: a person writes what
// the tool would have answered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startAsker } from "./lib/asker.mjs";
import { say, thread as read } from "./lib/chat.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { closeInspector, openPlanner, option, question, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
// A pattern that browsers do not know: only the gateway can refuse what does not fit.
const code = object({ code: { type: "string", pattern: "^(?P<letters>[A-Z]{3})$" } });

const sizes = { message: "Which size?", metadata: { value: { options: ["S", "M"] } } };

const asker = await startAsker({
  // Longer than a page takes to show it. Other test files have the processor meanwhile.
  "A coat": () => [{ ...sizes, expiresAt: new Date(Date.now() + 10_000).toISOString() }],
  "A coat, again": [sizes],
  "A code": [{ message: "Which code?", responseSchema: code }],
  "Two codes": [
    { message: "Which code?", responseSchema: code },
    { message: "Which other code?", responseSchema: code },
  ],
  "A note": [
    { message: "Anything to add?", responseSchema: object({ note: { type: "string" }, gift: { type: "boolean" } }, []) },
    { message: "Which name?", responseSchema: object({ name: { type: "string" } }) },
  ],
  "A list": [{ message: "Who comes?", responseSchema: object({ guests: { type: "array", items: { type: "string" } } }) }],
  "A number or none": [{ message: "How many?", responseSchema: object({ count: { anyOf: [{ type: "integer" }, { type: "null" }] } }) }],
});

const gateway = await startGateway({
  team: `
version: 1
agents:
  asker: { type: agui, description: Asks anything, url: "${asker}" }
  names:
    type: script
    description: Asks for two names
    steps:
      - ask_many: [ { key: first, message: "From where?" }, { key: second, message: "To where?" } ]
      - say: "From \${answers.first} to \${answers.second}."
  pair:
    type: script
    description: Waits longer for one answer than for the other
    steps:
      - ask_many: [ { key: size, message: "Which size?", ttl: 2s }, { key: name, message: "Which name?" } ]
      - say: "For \${answers.name}."
  guide:
    type: script
    description: Shows places on the page's map
    steps:
      - tool: { name: show_map, arguments: { city: Paris, zoom: 3 } }
      - say: "The page said: \${answers.show_map}"
`,
});

const visit = visitor(gateway.url);

/** Says something to an agent on a new thread, on a page that open(t, place) opens: the page, with its question open. */
async function asked(t, agent, words, open = visit) {
  const page = await open(t, `#/t/${agent}/${crypto.randomUUID()}`);
  page.allow(/404/); // this thread does not exist
  await page.getByTestId("welcome").waitFor();
  await say(page, words);
  await page.getByTestId("question").first().waitFor();
  return page;
}

const field = (page, text) => question(page, text).getByRole("textbox");
const send = (page) => page.getByTestId("send-answers");
const answer = (page) => page.getByTestId("answer-send");
const refusal = (page) => page.getByTestId("refusal");
const told = (page, text) => page.getByText(text, { exact: true }).waitFor();

test("what was deleted is not sent", async (t) => {
  const page = await asked(t, "names", "Hello");
  await field(page, "From where?").fill("P");
  await field(page, "To where?").fill("Rome");
  await send(page).and(page.locator(":enabled")).waitFor();
  await field(page, "From where?").fill("");
  assert.equal(await send(page).isDisabled(), true, "an answer is missing");
  await field(page, "From where?").fill("Oslo");
  await send(page).click();
  await told(page, "From Oslo to Rome.");
});

test("a refused answer can be given again, with the refusal on its card", async (t) => {
  const page = await asked(t, "asker", "A code");
  await field(page, "Which code?").fill("abc");
  await answer(page).click();
  await question(page, "Which code?").getByTestId("refusal").waitFor();
  assert.equal(await field(page, "Which code?").inputValue(), "abc", "what was written is still there");
  await field(page, "Which code?").fill("ABC");
  await answer(page).click();
  await told(page, 'You said: {"code":"ABC"}');
  await unasked(page);
});

test("of several answers that were refused each can be changed", async (t) => {
  const page = await asked(t, "asker", "Two codes");
  await field(page, "Which code?").fill("ABC");
  await field(page, "Which other code?").fill("abc");
  await send(page).click();
  await refusal(page).first().waitFor();
  assert.equal(await field(page, "Which code?").inputValue(), "ABC");
  await field(page, "Which other code?").fill("XYZ");
  await send(page).click();
  await told(page, 'You said: {"code":"ABC"}, {"code":"XYZ"}');
});

test("after a refusal the question can be cancelled", async (t) => {
  const page = await asked(t, "asker", "A code");
  await field(page, "Which code?").fill("abc");
  await answer(page).click();
  await refusal(page).waitFor();
  await page.getByTestId("never-mind").click();
  await told(page, "You said: cancelled");
  await unasked(page);
});

test("an answer that does not reach the gateway can be sent again", async (t) => {
  const page = await asked(t, "asker", "A code");
  page.allow(/413/);
  await page.route("**/api/copilotkit/agent/*/run", (route) =>
    route.fulfill({ status: 413, json: { error: { code: "too_large", message: "The request is too large." } } }),
  );
  for (const words of ["ABCD", "ABC"]) {
    await field(page, "Which code?").fill(words);
    await answer(page).click();
    await refusal(page).filter({ hasText: "too large" }).waitFor();
    assert.equal(await field(page, "Which code?").inputValue(), words);
  }
  await page.unroute("**/api/copilotkit/agent/*/run");
  await answer(page).click();
  await told(page, 'You said: {"code":"ABC"}');
});

test("what may be left out is left out", async (t) => {
  const page = await asked(t, "asker", "A note");
  await field(page, "Which name?").fill("Ada");
  await send(page).and(page.locator(":enabled")).waitFor();
  const gift = option(page, "Yes");
  await gift.click();
  await gift.click();
  assert.equal(await gift.getAttribute("aria-pressed"), "false", "a second click takes the choice back");
  await send(page).click();
  await told(page, 'You said: {}, {"name":"Ada"}');
});

test("a list has an item for each of its fields", async (t) => {
  const page = await asked(t, "asker", "A list");
  for (const name of ["Ada", "Grace"]) {
    await page.getByRole("button", { name: "Add to Guests" }).click();
    await field(page, "Who comes?").last().fill(name);
  }
  await answer(page).click();
  await told(page, 'You said: {"guests":["Ada","Grace"]}');
});

test("of several kinds of value the first is asked for", async (t) => {
  const page = await asked(t, "asker", "A number or none");
  await question(page, "How many?").getByRole("spinbutton").fill("3");
  await answer(page).click();
  await told(page, 'You said: {"count":3}');
});

test("a question whose time is over says so, cannot be clicked, is in nobody's way, and stays with what was offered", async (t) => {
  const page = await asked(t, "asker", "A coat");
  await page.getByTestId("expired").waitFor();
  assert.equal(await option(page, "M").isDisabled(), true);
  assert.equal(await page.getByTestId("never-mind").count(), 0, "there is nothing left to cancel");
  await say(page, "A coat, again");
  await option(page, "M").and(page.locator(":enabled")).click();
  await told(page, 'You said: "M"');
  assert.equal(await page.getByTestId("expired").count(), 0);
  const [first, second] = [0, 1].map((at) => page.getByTestId("answered").nth(at));
  await second.waitFor();
  assert.equal(await first.getAttribute("data-status"), "expired");
  assert.deepEqual(await first.getByTestId("offered").evaluateAll((all) => all.map(({ dataset }) => dataset.value)), ["S", "M"]);
  assert.equal(await first.locator("[data-chosen]").count(), 0);
  assert.equal(await second.getAttribute("data-status"), "resolved");
});

test("of several questions those that have not expired can be answered", async (t) => {
  const page = await asked(t, "pair", "A coat");
  await field(page, "Which name?").fill("Ada");
  await question(page, "Which size?").getByTestId("expired").waitFor();
  assert.equal(await page.getByTestId("question").count(), 2, "nothing moves under the pointer");
  assert.equal(await field(page, "Which size?").isDisabled(), true);
  assert.equal(await field(page, "Which name?").inputValue(), "Ada", "what was written is still there");
  await page.shot("expired-one");
  await send(page).click();
  await told(page, "All right, I leave it at that."); // the answer was taken, and the script goes no further without the other one
  await unasked(page);
});

test("a browser whose clock is ahead can answer all the same", async (t) => {
  // A question stays open for a day.
  const prepare = (page) => page.clock.install({ time: Date.now() + 48 * 3600 * 1000 });
  const page = await asked(t, "names", "Hello", (t, place) => openPlanner(t, gateway.url, { place, prepare }));
  await field(page, "From where?").fill("Oslo");
  await field(page, "To where?").fill("Rome");
  await send(page).click();
  await told(page, "From Oslo to Rome.");
});

test("what is written but not sent survives the inspector, a reload and other threads", async (t) => {
  const page = await asked(t, "names", "Hello");
  await field(page, "From where?").fill("Oslo");
  await page.getByTestId("copilot-chat-textarea").fill("By the way");
  await page.reload();
  await field(page, "From where?").waitFor();
  assert.equal(await field(page, "From where?").inputValue(), "Oslo");
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "By the way");
  await page.getByTestId("inspector-open").click();
  await page.getByTestId("inspector").waitFor();
  await closeInspector(page);
  await field(page, "From where?").waitFor();
  assert.equal(await field(page, "From where?").inputValue(), "Oslo");
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "By the way");
  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "");
  await page.goBack();
  await field(page, "To where?").fill("Rome");
  await send(page).click();
  await told(page, "From Oslo to Rome.");
});

/** Lets the agent call the tool on a new thread, on a page that open(t, place) opens: the page, with the call that waits. */
async function called(t, open = visit) {
  const thread = crypto.randomUUID();
  const page = await open(t, `#/t/guide/${thread}`);
  page.allow(/404/); // this thread does not exist
  await page.getByTestId("welcome").waitFor();
  await say(page, "Where is it?");
  await page.getByTestId("call-answer").waitFor();
  return Object.assign(page, { thread });
}

const result = (page) => page.getByTestId("call-result");
const call = (page, state) => page.locator(`[data-testid="tool-call"][data-name="show_map"][data-state="${state}"]`);

/** The tool messages of the thread. */
const results = async (page) => (await read(gateway, page.thread, "guide")).messages.filter(({ role }) => role === "tool");

test("the result of a page's tool is written, and the run goes on with it", async (t) => {
  const page = await called(t);
  const panel = page.getByTestId("call-answer");
  await panel.getByText("show_map").waitFor();
  await panel.getByText("Paris").waitFor();
  const waiting = page.locator(`[data-testid="threads-waiting"] [data-thread="${page.thread}"]`);
  await waiting.waitFor();
  await result(page).fill("Shown");
  await page.getByTestId("call-send").click();
  await told(page, "The page said: Shown");
  await call(page, "done").waitFor();
  assert.equal(await panel.count(), 0);
  await waiting.waitFor({ state: "detached" });
  assert.deepEqual((await results(page)).map(({ content }) => content), ["Shown"]);
});

test("by keyboard, and after a reload: what waits is there again", async (t) => {
  const page = await called(t);
  await page.reload();
  await result(page).focus();
  await page.keyboard.type("Shown");
  await page.keyboard.press("Tab"); // whether it is JSON
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await told(page, "The page said: Shown");
});

test("a result that is JSON is checked before it is sent", async (t) => {
  const page = await called(t);
  await page.getByLabel("It is JSON").check();
  await page.getByTestId("call-send").click();
  await page.getByText("Please write the result.").waitFor();
  await result(page).fill('{"shown": yes}');
  await page.getByTestId("call-send").click();
  await page.getByText("look at line 1, column 11").waitFor();
  assert.deepEqual(await results(page), []);
  await result(page).fill('{"shown": true}');
  await page.getByTestId("call-send").click();
  await call(page, "done").waitFor();
  assert.deepEqual((await results(page)).map(({ content }) => content), ['{"shown": true}']);
});

test("a call may be said to have failed", async (t) => {
  const page = await called(t);
  await result(page).fill("There is no map here.");
  await page.getByTestId("call-fail").click();
  await told(page, "The page said: The call failed: There is no map here.");
});

test("a result that did not reach the gateway can be sent again, once", async (t) => {
  const page = await called(t);
  page.allow(/413/);
  await page.route("**/api/copilotkit/agent/*/run", (route) => route.fulfill({ status: 413, json: { error: { code: "too_large", message: "The request is too large." } } }), { times: 1 });
  await result(page).fill("Shown");
  await page.getByTestId("call-send").click();
  await page.getByTestId("call-send").and(page.locator(":enabled")).waitFor();
  assert.equal(await result(page).inputValue(), "Shown");
  await result(page).fill("Shown now");
  await page.getByTestId("call-send").click();
  await told(page, "The page said: Shown now");
  assert.equal((await results(page)).length, 1);
});

test("a draft survives another view, the inspector says what waits, and a message goes on without a result", async (t) => {
  const page = await called(t);
  await result(page).fill("Half");
  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  await page.goBack();
  await result(page).waitFor();
  assert.equal(await result(page).inputValue(), "Half");
  await page.getByTestId("inspector-open").click();
  await page.getByTestId("insp-tab-questions").click();
  await page.getByTestId("insp-waiting").waitFor();
  await closeInspector(page);
  await say(page, "Never mind the map");
  await page.getByTestId("call-answer").nth(1).waitFor({ state: "detached" });
  assert.equal((await results(page))[0].content, "not answered");
});

looksTogether("a call that waits for its result", async (t, look) => {
  const page = await called(t, (t, place) => openPlanner(t, gateway.url, { place, ...look.options }));
  const { stage, done } = camera(page, look);
  await page.getByLabel("It is JSON").check();
  await result(page).fill("{");
  await page.getByText("look at line 1, column 2").waitFor();
  await stage("call result", { end: false });
  done();
});
