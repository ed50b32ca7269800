// The inspector beside a conversation: what happens on a thread, as it is on the wire.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { answer, begun } from "./lib/begun.mjs";
import { settled } from "./lib/chat.mjs";
import { getsFocus, tabTo } from "./lib/keyboard.mjs";
import { closeInspector, option, question, visitor } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";

const words = (n) => "so ".repeat(n).trim();
const gateway = await startGateway({
  args: ["-voice-delay", "0"], // the long runs are as long as their words are many
  team: `
version: 1
agents:
  travel: { type: travel }
  brief: { type: script, steps: [ { say: "Hello there." } ] }
  wordy: { type: script, steps: [ { say: "${words(2300)}" } ] }
  many: { type: script, steps: [ ${Array(40).fill("{ say: Again. }").join(", ")} ] }
  endless: { type: script, steps: [ { say: "${words(5200)}" } ] }
`,
});

const rows = (page) => page.getByTestId("timeline-row");

/** Waits until the timeline shows so many rows; returns how many that is. */
async function shows(page, { over = -1, under = 1e9 }) {
  const counted = await page.waitForFunction(
    ([over, under]) => {
      const shown = parseInt(document.querySelector('[data-testid="timeline-count"]')?.textContent);
      return shown > over && shown < under && [shown];
    },
    [over, under],
  );
  return (await counted.jsonValue())[0];
}

const change = (page, path) => page.locator(`[data-testid="state-change"][data-path="${path}"]`);
const node = (page, path) => page.getByTestId("state-tree").locator(`[data-path="${path}"]`);

const tab = (page, name) => page.getByTestId(`insp-tab-${name}`).click();

const visit = visitor(gateway.url, { permissions: ["clipboard-read", "clipboard-write"] });

/** A plan at its question for a flight, with its inspector: {page, id}. */
async function inspected(t) {
  const id = await begun(gateway, "travel", "Plan my trip");
  const page = await visit(t, `#/t/travel/${id}?inspect=events`);
  await page.getByTestId("inspector").getByText("live", { exact: true }).waitFor();
  return { page, id };
}

/** Runs what a button has put on the clipboard, as a shell does that it is pasted into. */
async function pasted(page, button) {
  const menu = page.locator("details:not([open])").filter({ has: page.getByTestId(button) });
  if ((await menu.count()) > 0) await menu.locator("summary").click();
  await page.getByTestId(button).click();
  await page.locator(`[data-testid="${button}"][data-copied]`).waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} --silent --show-error --max-time 60 & wait $!`], {
    env: { ...process.env, GATEWAY_KEY: "none" },
  });
  return { command, stdout };
}

test("the timeline shows a run as it happens, and hides what is filtered out", async (t) => {
  const { page, id } = await inspected(t);
  const before = await shows(page, { over: 10 }); // the log, behind a prelude of four events
  await answer(gateway, "travel", id, "KLM");
  await rows(page).filter({ hasText: "RUN_FINISHED" }).last().waitFor();
  const all = await shows(page, { over: before });

  await page.getByTestId("filter-text").click();
  await shows(page, { under: all });
  assert.equal(await rows(page).and(page.locator('[data-group="text"]')).count(), 0);
  await page.getByTestId("filter-text").click();
  await shows(page, { over: all - 1 });

  await page.getByTestId("timeline-search").fill("RUN_STARTED");
  await shows(page, { under: all });
  assert.deepEqual([...new Set(await rows(page).evaluateAll((found) => found.map(({ dataset }) => dataset.type)))], ["RUN_STARTED"]);
  await page.getByTestId("timeline-search").fill("");
  await shows(page, { over: all - 1 });
  await page.getByTestId("filter-participant").selectOption("flights_agent");
  await shows(page, { under: all });
  const who = await rows(page).locator(".insp-who").allTextContents();
  assert.deepEqual([...new Set(who)], ["flights_agent"]);
  await rows(page).first().getByRole("button").first().click();
  const shown = JSON.parse(await rows(page).first().locator(".insp-json").textContent());
  assert.equal(typeof (Array.isArray(shown) ? shown[0] : shown).type, "string");
  assert.equal((await settled(gateway, id)).status, "interrupted");
});

test("a change of the state is shown where it is, and every step can be looked at again", async (t) => {
  const { page, id } = await inspected(t);
  await tab(page, "state");
  await answer(gateway, "travel", id, "KLM");
  await node(page, "/itinerary").filter({ hasText: "{1}" }).waitFor();

  const back = page.getByTestId("state-back");
  const booked = change(page, "/itinerary/flight");
  for (let versions = 0; (await booked.count()) === 0; versions++) {
    assert.ok(versions < 50, "no version of the state books the flight");
    await back.click();
  }
  assert.match(await booked.textContent(), /^add.*KLM/);
  assert.equal(await node(page, "/itinerary").getAttribute("data-mark"), "inside");
  assert.equal(await node(page, "/itinerary/flight").getAttribute("data-mark"), "added");
  await node(page, "/itinerary/flight/airline").getByText("KLM").waitFor();
  await back.click();
  await node(page, "/itinerary/flight").waitFor({ state: "detached" });
  await page.getByTestId("state-live").click();
  await node(page, "/itinerary").filter({ hasText: "{1}" }).waitFor();
});

test("the open question is shown, until it is answered", async (t) => {
  const { page, id } = await inspected(t);
  await tab(page, "questions");
  const open = page.getByTestId("interrupt");
  const { interrupts } = await settled(gateway, id);
  await open.getByText(interrupts[0].id).first().waitFor();
  await page.getByTestId("inspector-answer").getByText("Recommended").waitFor();
  await answer(gateway, "travel", id, undefined);
  await page.getByText("No question is open.").waitFor();
  await closeInspector(page);
  await option(page, "KLM").waitFor({ state: "detached" });
});

test("what is copied as curl works in a shell", async (t) => {
  const { page, id } = await inspected(t);
  await tab(page, "questions");
  const resumed = await pasted(page, "copy-resume");
  assert.doesNotMatch(resumed.command, /Bearer (?!\$GATEWAY_KEY)/);
  await page.getByTestId("chat").getByRole("heading", { name: /hotel/i }).waitFor();
  assert.equal((await settled(gateway, id)).state.itinerary.flight.airline, "KLM");
  await answer(gateway, "travel", id, "Hotel Zoe");
  const { runs, messages } = await settled(gateway, id);

  const again = await pasted(page, "copy-curl");
  assert.match(again.stdout, /^data: /m);
  const after = (await ask(`${gateway.url}/threads/${id}?agent=travel`)).body;
  assert.deepEqual([after.runs.length, after.messages], [runs.length, messages], "the message is known: nothing starts");
  assert.match(again.stdout, /"type":"RUN_FINISHED"/);
});

/** The inspector of a thread on which an agent has run. */
async function over(t, agent) {
  const id = await begun(gateway, agent, "Say it");
  const page = await visit(t, `#/t/${agent}/${id}?inspect=events`);
  return { page, id };
}

const types = (page) => rows(page).evaluateAll((found) => found.map(({ dataset }) => dataset.type));
const counted = (page, text) => page.getByTestId("timeline-count").filter({ hasText: text }).waitFor();

test("a log that is read after the fact has its first event", async (t) => {
  const { page } = await over(t, "brief");
  await shows(page, { over: 5 });
  assert.deepEqual((await types(page)).slice(0, 2), ["RUN_STARTED", "STATE_SNAPSHOT"]);
  assert.equal(await rows(page).first().locator(".insp-time").textContent(), "+0.00 s", "the gateway says when it was");
});

test("of a long run the newest events are shown, and it says how many are not", async (t) => {
  const { page } = await over(t, "endless");
  await counted(page, /, 5000 events; \d+ older events not shown/);
  assert.equal((await types(page)).at(-1), "RUN_FINISHED");
  await page.getByTestId("show-all").click();
  await counted(page, /, 52\d\d events$/);
  await page.getByTestId("timeline").evaluate((box) => void (box.scrollTop = 0));
  await rows(page).and(page.locator('[aria-posinset="1"][data-type="RUN_STARTED"]')).waitFor();
});

test("what happened before stays in the timeline while much happens", async (t) => {
  const { page, id } = await over(t, "wordy");
  await counted(page, /, 23\d\d events$/);
  await begun(gateway, "wordy", "Say it again", id);
  await counted(page, /, 46\d\d events$/);
  await page.getByTestId("timeline").evaluate((box) => void (box.scrollTop = 0));
  await rows(page).and(page.locator('[aria-posinset="1"][data-type="RUN_STARTED"]')).waitFor();
});

test("the inspector is read without a mouse", async (t) => {
  const id = await begun(gateway, "travel", "Plan my trip");
  const page = await visit(t, `#/t/travel/${id}`);
  await question(page, /flight/i).waitFor();
  await tabTo(page, page.getByTestId("inspector-open"), { within: 80 });
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByTestId("insp-tab-trace"), { within: 80 }); // past the list of threads
  await page.keyboard.press("ArrowRight");
  const row = page.getByTestId("timeline-row");
  await row.first().waitFor();
  await page.waitForFunction(() => parseInt(document.querySelector('[data-testid="timeline-count"]')?.textContent) > 10);
  await tabTo(page, page.getByTestId("autoscroll"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Home");
  await getsFocus(page, row.first().getByRole("button").first());
  await page.keyboard.press("Enter");
  await row.first().locator(".insp-json").waitFor();
  const { type } = JSON.parse(await row.first().locator(".insp-json").textContent());
  assert.equal(type, await row.first().getAttribute("data-type"));
  await page.keyboard.press("ArrowDown");
  await getsFocus(page, row.nth(1).getByRole("button").first());
});

test("a row keeps the focus while newer rows push it out of sight", async (t) => {
  const { page, id } = await over(t, "many");
  await counted(page, /, 126 events$/);
  await tabTo(page, page.getByTestId("autoscroll"), { within: 80 });
  await page.keyboard.press("Tab");
  await page.keyboard.press("End"); // the timeline goes on to follow the run
  await getsFocus(page, page.locator(".insp-rows > :last-child > [data-row]"));
  const row = page.locator("[data-row]:focus");
  const key = await row.getAttribute("data-row");
  const place = Number(await page.getByRole("listitem").filter({ has: row }).getAttribute("aria-posinset"));
  await begun(gateway, "many", "Say it again", id);
  const last = rows(page).and(page.locator('[data-type="RUN_FINISHED"]')).last();
  await page.waitForFunction((n) => Number(document.querySelector(".insp-rows > :last-child")?.getAttribute("aria-posinset")) > n, place + 60);
  await last.waitFor();
  assert.equal(await row.getAttribute("data-row"), key);
  await page.keyboard.press("Home");
  await getsFocus(page, page.locator('[aria-posinset="1"] > [data-row]'));
});
