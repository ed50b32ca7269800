// Calls of a page's tools on the gateway's own page, which has none: a person writes what they would have answered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "./lib/chat.mjs";
import { camera, ofColours } from "./lib/looks.mjs";
import { closeInspector, openPlanner } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";
import { ask } from "../lib/client.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  guide:
    type: script
    description: Shows places on the page's map
    steps:
      - tool: { name: show_map, arguments: { city: Paris, zoom: 3 } }
      - say: "The page said: \${answers.show_map}"
`,
});

/** Opens the page and lets the agent call the tool: the page, with the call that waits. */
async function called(t, options) {
  const thread = crypto.randomUUID();
  const page = await openPlanner(t, gateway.url, { place: `#/t/guide/${thread}`, ...options });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, "Where is it?");
  await page.getByTestId("call-answer").waitFor();
  return Object.assign(page, { path: `${gateway.url}/threads/${thread}?agent=guide` });
}

const result = (page) => page.getByTestId("call-result");
const call = (page, state) => page.locator(`[data-testid="tool-call"][data-name="show_map"][data-state="${state}"]`);
const told = (page, text) => page.getByText(text, { exact: true }).waitFor();

/** The tool messages of the thread. */
const results = async (page) => (await ask(page.path)).body.messages.filter(({ role }) => role === "tool");

test("the result of a call is written, and the run goes on with it", async (t) => {
  const page = await called(t);
  const panel = page.getByTestId("call-answer");
  await panel.getByText("show_map").waitFor();
  await panel.getByText("Paris").waitFor();
  await result(page).fill("Shown");
  await page.getByTestId("call-send").click();
  await told(page, "The page said: Shown");
  await call(page, "done").waitFor();
  assert.equal(await panel.count(), 0);
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

const looks = { light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 } } };
for (const [look, options] of Object.entries(looks)) {
  test(`${look}: a call that waits for its result`, async (t) => {
    const page = await called(t, { ...options, reducedMotion: "reduce" });
    const { stage, done } = camera(page, look, look === "dark" ? ofColours : {});
    await page.getByLabel("It is JSON").check();
    await result(page).fill("{");
    await page.getByText("look at line 1, column 2").waitFor();
    await stage("call result", { end: false });
    done();
  });
}
