// The inspector beside the conversation: where it stands, and what it leaves as it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { getsFocus } from "./lib/keyboard.mjs";
import { closeInspector, openPlanner, option, pick, placeOf, question, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  tailor:
    type: script
    description: Asks for a size and a shop
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M ] }
      - ask: { key: shop, message: "Which shop?", options: [ Centre, Harbour ] }
      - say: "Size \${answers.size}."
`,
});
const visit = visitor(gateway.url);

const inspector = (page) => page.getByTestId("inspector");
const edge = (page) => page.getByTestId("dock-edge");
const sizes = async (page) => {
  const [chat, dock] = await Promise.all([page.getByTestId("chat").boundingBox(), inspector(page).boundingBox()]);
  return { chat, dock };
};

/** A conversation with an open question, on a page that open(t, place) opens: {page, id}. */
async function asked(t, open = visit) {
  const id = await begun(gateway, "tailor", "A coat, please");
  const page = await open(t, `#/t/tailor/${id}`);
  await question(page, "Which size?").waitFor();
  return { page, id };
}

test("the conversation goes on beside the inspector, as it was", async (t) => {
  const { page, id } = await asked(t);
  await page.getByTestId("copilot-chat-textarea").evaluate((field) => (field.dataset.same = "yes"));
  await page.getByTestId("inspector-open").click();
  await inspector(page).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").getAttribute("data-same"), "yes", "nothing was made anew");
  const { chat, dock } = await sizes(page);
  assert.ok(chat.x + chat.width <= dock.x, "it stands beside");
  await pick(page, "M");
  await question(page, "Which shop?").waitFor();
  assert.equal(placeOf(page).thread, id);
  await page.goBack();
  await inspector(page).waitFor({ state: "detached" });
  await option(page, "Harbour").waitFor();
  await page.goForward();
  await inspector(page).waitFor();
  await closeInspector(page);
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "inspector-open"); // the focus goes back to where it came from
  await pick(page, "Harbour");
  await page.getByText("Size M.").waitFor();
  await unasked(page);
});

test("its tab is a place: a reload finds it, and another thread keeps it open", async (t) => {
  const { page } = await asked(t);
  await page.getByTestId("inspector-open").click();
  await page.getByTestId("insp-tab-state").click();
  await inspector(page).getByTestId("state-tree").waitFor();
  assert.equal(placeOf(page).inspect.inspect, "state");
  await page.reload();
  await inspector(page).getByTestId("state-tree").waitFor();
  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  assert.equal(placeOf(page).inspect.inspect, "state");
});

test("its edge is moved by keys and by the pointer, and stays where it was put", async (t) => {
  const { page } = await asked(t, (t, place) => openPlanner(t, gateway.url, { place }));
  await page.getByTestId("inspector-open").click();
  await inspector(page).waitFor();
  const before = (await sizes(page)).dock.width;
  await edge(page).press("ArrowLeft");
  const wider = (await sizes(page)).dock.width;
  assert.ok(wider > before, `${wider} is more than ${before}`);
  const { x, y, height } = await edge(page).boundingBox();
  await page.mouse.move(x + 3, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 203, y + height / 2, { steps: 4 });
  await page.mouse.up();
  const narrower = (await sizes(page)).dock.width;
  assert.ok(Math.abs(wider - 200 - narrower) < 15, `${narrower} is 200 less than ${wider}`);
  await page.reload();
  await inspector(page).waitFor();
  assert.ok(Math.abs((await sizes(page)).dock.width - narrower) < 2);
});

test("its tabs are chosen by keys", async (t) => {
  const { page } = await asked(t);
  await page.getByTestId("inspector-open").click();
  const tab = page.getByRole("tab");
  await page.getByRole("tab", { selected: true }).focus();
  await page.keyboard.press("End");
  await page.getByTestId("team").waitFor();
  await getsFocus(page, tab.last());
  await page.keyboard.press("ArrowRight"); // from the last to the first
  await tab.first().and(page.getByRole("tab", { selected: true })).waitFor();
});

test("on a phone it stands below", async (t) => {
  const { page } = await asked(t, (t, place) => openPlanner(t, gateway.url, { place, viewport: { width: 390, height: 844 }, hasTouch: true }));
  await page.getByTestId("inspector-open").click();
  await inspector(page).waitFor();
  const { chat, dock } = await sizes(page);
  assert.ok(chat.y + chat.height <= dock.y, "it stands below");
  assert.equal(Math.round(dock.width), 390);
  await edge(page).press("ArrowUp");
  assert.ok((await sizes(page)).dock.height > dock.height);
});

test("in a low window, as at 200 % zoom, the conversation is beside the inspector and can be read", async (t) => {
  const { page } = await asked(t, (t, place) => openPlanner(t, gateway.url, { place, viewport: { width: 720, height: 450 } }));
  await page.getByTestId("inspector-open").click();
  await inspector(page).waitFor();
  const { chat, dock } = await sizes(page);
  assert.ok(chat.x + chat.width <= dock.x, "it stands beside");
  const field = await page.getByTestId("copilot-input-overlay").boundingBox();
  assert.ok(field.y - chat.y >= 200, `${field.y - chat.y} pixels are left to read in`);
});
