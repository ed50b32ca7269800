// What a run did, in the inspector: where its time went, what can be done about it, and who of the team spoke.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { say, settled } from "./lib/chat.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { openPlanner, placeOf, visitor } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  travel: { type: travel }
  slow: { type: script, description: Takes its time, steps: [ { say: "One moment." }, { sleep: 600s } ] }
  flaky:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: worker, type: script, on_error: { retry: 1, backoff: 1ms, then: fail }, steps: [ { fail: { code: sold_out, message: "Nothing is left." } } ] }
  desk:
    type: groupchat
    manager: { type: handoff, start: triage, edges: { triage: [ billing, tech ], billing: [ triage ], tech: [ billing ] } }
    participants:
      - { name: triage, description: Asks what it is about, type: script, steps: [ { say: "What is it about?" } ] }
      - { name: billing, description: Knows the invoices, type: script, steps: [ { say: "An invoice." } ] }
      - { name: tech, description: Knows the machines, type: script, steps: [ { say: "A machine." } ] }
`,
});

const steps = (page, kind) => page.locator(`[data-testid="step"]${kind ? `[data-kind="${kind}"]` : ""}`);
const trace = (page, run) => page.locator(`[data-testid="trace"]${run ? `[data-run="${run}"]` : ""}`);
const ended = (page, status, run) => page.locator(`[data-testid="trace"]${run ? `[data-run="${run}"]` : ""}[data-status="${status}"]`).waitFor();
const visit = visitor(gateway.url, { permissions: ["clipboard-read", "clipboard-write"] });

/** Says something to an agent, with what the inspector shows beside: the page. */
async function opened(t, agent, inspect) {
  const page = await visit(t, `#/t/${agent}/${crypto.randomUUID()}?inspect=${inspect}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, "Go on, please");
  return page;
}

/** A plan at its question for a flight, with the trace of its first run, on a page that open(t, place) opens: {page, id}. */
async function traced(t, open = visit) {
  const id = await begun(gateway, "travel", "Plan my trip");
  const page = await open(t, `#/t/travel/${id}?inspect=trace`);
  await ended(page, "interrupt", 1);
  await steps(page, "question").waitFor();
  return { page, id };
}

test("a run is drawn while it goes on, after a reload too, and can be stopped", async (t) => {
  const page = await opened(t, "slow", "trace");
  await page.locator('[data-testid="step"][data-going]').first().waitFor();
  await ended(page, "running", 1);
  const before = await steps(page).count();
  await page.reload();
  await page.locator('[data-testid="step"][data-going]').first().waitFor();
  assert.equal(await steps(page).count(), before, "what was told before is told again");
  await page.getByTestId("run-stop").click();
  await ended(page, "cancelled", 1);
  await page.locator('[data-testid="step"][data-going]').first().waitFor({ state: "detached" });
});

test("a finished run is drawn: who chose, who spoke, and for whom it waits", async (t) => {
  const { page, id } = await traced(t);
  const { body } = await ask(`${gateway.url}/threads/${id}/runs/1/trace?agent=travel`);
  assert.deepEqual(
    (await steps(page).evaluateAll((rows) => rows.map(({ dataset }) => dataset.step))).sort(),
    body.steps.map((step) => step.id).sort(),
  );
  for (const kind of ["run", "choice", "turn", "question"]) assert.ok((await steps(page, kind).count()) > 0, kind);
  assert.match(await page.getByTestId("trace-summary").textContent(), /Duration.*ms|s/);
});

test("a message and its row select each other", async (t) => {
  const { page } = await traced(t);
  const said = page.locator('[data-testid="said"][data-speaker="flights_agent"]').first();
  await said.click();
  await page.locator('[data-testid="step"][data-kind="turn"][aria-selected="true"]').waitFor();
  await page.locator('[data-testid="step-detail"]').getByText("flights_agent").first().waitFor();
  assert.equal(await said.getAttribute("data-selected"), "true");
  await steps(page, "choice").first().click();
  const supervisor = page.locator('[data-testid="said"][data-speaker="supervisor"][data-selected]');
  await supervisor.waitFor();
  await page.locator('[data-testid="said"][data-speaker="flights_agent"][data-selected]').waitFor({ state: "detached" });
  await page.getByTestId("mine").first().click();
  await page.locator('[data-testid="step"][data-kind="run"][aria-selected="true"]').waitFor();
  await page.getByTestId("insp-tab-events").click();
  await page.locator('[data-testid="timeline-row"][data-selected][data-type="MESSAGES_SNAPSHOT"]').waitFor();
});

test("a question is answered from the inspector", async (t) => {
  const { page, id } = await traced(t);
  await steps(page, "question").click();
  await page.getByTestId("step-answer").click();
  await page.getByTestId("inspector-answer").locator('[data-testid="option"][data-value="KLM"]').click();
  await page.getByTestId("chat").getByRole("heading", { name: /hotel/i }).waitFor();
  assert.equal((await settled(gateway, id)).state.itinerary.flight.airline, "KLM");
  await page.getByTestId("insp-tab-trace").click();
  await ended(page, "interrupt", 2);
  assert.equal(await steps(page, "question").count(), 2, "the answer that came, and the one that is waited for");
  await page.getByTestId("insp-tab-questions").click();
  await page.getByTestId("inspector-skip").click();
  await page.getByText("No question is open.").waitFor();
});

test("a run is run again, forked, exported and linked to", async (t) => {
  const id = await begun(gateway, "desk", "Good morning");
  const page = await visit(t, `#/t/desk/${id}?inspect=trace`);
  await ended(page, "success", 1);
  await page.getByTestId("trace-input").getByText("Good morning").waitFor();

  await page.getByTestId("run-again").click();
  await ended(page, "success", 2);
  const { messages, runs } = await settled(gateway, id, "desk");
  assert.deepEqual([runs.length, messages.map(({ role }) => role)], [2, ["user", "assistant"]]);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("run-export").click()]);
  const saved = JSON.parse(await readFile(await download.path(), "utf8"));
  assert.deepEqual([saved.run.number, saved.trace.number, saved.events.at(-1).event.type], [2, 2, "RUN_FINISHED"]);

  await page.getByTestId("insp-tab-events").click();
  const row = page.locator('[data-testid="timeline-row"][data-type="TEXT_MESSAGE_START"]').last();
  await row.getByRole("button").first().click();
  await row.getByTestId("copy-event-link").click();
  await row.locator('[data-testid="copy-event-link"][data-copied]').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await openPlanner(t, gateway.url, { context: page.context(), place: link.slice(link.indexOf("#")) });
  const linked = other.locator('[data-testid="timeline-row"][data-selected]');
  await linked.locator(".insp-json").waitFor();
  assert.equal(await linked.getAttribute("data-type"), "TEXT_MESSAGE_START");

  await page.getByTestId("insp-tab-runs").click();
  await page.getByTestId("run").last().click();
  await trace(page, 1).waitFor();
  await page.getByTestId("insp-tab-trace").click();
  await page.getByTestId("run-fork").click();
  await page.waitForURL((url) => !url.hash.includes(id));
  assert.equal(placeOf(page).inspect.inspect, "trace", "the inspector stays open");
  const copy = await settled(gateway, placeOf(page).thread, "desk");
  assert.deepEqual(copy.messages.map(({ content }) => content), messages.map(({ content }) => content));
});

test("a run that failed shows its attempts, their codes, and why", async (t) => {
  const page = await opened(t, "flaky", "trace");
  await ended(page, "error", 1);
  await page.getByTestId("trace-error").getByText("Nothing is left.").waitFor();
  await page.getByTestId("notice").getByRole("button", { name: "Dismiss" }).click(); // it would cover the inspector's buttons
  const turns = steps(page, "turn");
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="step"][data-kind="turn"][data-code="sold_out"]').length === 2);
  assert.match(await turns.last().textContent(), /try 2/);
  await turns.last().click();
  await page.getByTestId("step-detail").getByText("sold_out").waitFor();
  await page.getByTestId("insp-tab-runs").click();
  await page.locator('[data-testid="run"][data-status="error"]').getByText("Nothing is left.").waitFor();
});

test("the team is drawn: who may hand over to whom, and who has spoken", async (t) => {
  const page = await opened(t, "desk", "team");
  await page.locator('[data-testid="member"][data-path="triage"][data-spoke]').waitFor();
  assert.equal(await page.getByTestId("member").count(), 4);
  assert.equal(await page.getByTestId("handover").count(), 3, "two arrows one way, and one both ways");
  const tech = page.locator('[data-testid="participant"][data-path="tech"]');
  assert.match(await tech.textContent(), /Has not spoken; may hand over to billing/);
});

test("the trace is read without a mouse", async (t) => {
  const { page } = await traced(t);
  const first = steps(page).first();
  const all = await steps(page).count();
  await first.focus();
  await page.keyboard.press("ArrowLeft"); // closes the run
  await steps(page, "turn").waitFor({ state: "detached" });
  assert.equal(await steps(page).count(), 1);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((all) => document.querySelectorAll('[data-testid="step"]').length === all, all);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByTestId("step-detail").waitFor();
  await page.waitForFunction(() => document.activeElement?.dataset.kind === "choice");
  await page.keyboard.press("Escape");
  await page.getByTestId("step-detail").waitFor({ state: "detached" });
});

looksTogether("every part of the inspector", async (t, look) => {
  const { page } = await traced(t, (t, place) => openPlanner(t, gateway.url, { place, ...look.options }));
  const { stage, done } = camera(page, look, "inspector");
  await stage("1 trace", { end: false }); // the inspector has taken of the conversation's room
  await steps(page, "turn").click();
  await page.getByTestId("step-detail").waitFor();
  await stage("2 step", { end: false }); // the conversation has gone to the message
  for (const tab of ["events", "state", "questions", "runs", "team"]) {
    await page.getByTestId(`insp-tab-${tab}`).click();
    await page.locator(`#insp-${tab}`).waitFor();
    await stage(`3 ${tab}`, { end: false });
  }
  done();
});
