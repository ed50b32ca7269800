// The gateway's own page, as a person uses it, and what must be true of it.

import assert from "node:assert/strict";
import { createPage, judge, openPage } from "./browser.mjs";
import { agrees } from "./chat.mjs";

export { agrees, shown } from "./chat.mjs";

/** How long a page may take for a step when other tests have the machine's cores. */
const PATIENCE_MS = 60_000;

/** The options of a page of the gateway at url: those given, and what is common to all. */
const optionsFor = (url, options) => ({
  viewport: { width: 1440, height: 900 },
  ...options,
  async prepare(page) {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("request", (request) => {
      const asked = new URL(request.url());
      if (/^https?:$/.test(asked.protocol) && asked.origin !== url) page.problems.push(`other host: ${request.url()}`);
    });
    await options.prepare?.(page);
  },
});

/**
 * Opens the page of the gateway at url, at a place such as "#/t/travel/<thread>", with the options of createPage.
 *
 * Requests to another host count as problems of the page: the gateway serves all that the page needs.
 */
export const openPlanner = (t, url, { place = "", ...options } = {}) => openPage(t, `${url}/${place}`, optionsFor(url, options));

/**
 * Returns visit(t, place), which takes one page of the gateway at url from test to test of a file, as a person goes from one
 * conversation to the next: loading a page takes longer than most tests. The options are those of createPage.
 *
 * The page mounts each conversation anew. A test that has a thread of its own, or an agent's next one, starts without traces of
 * other tests; what it changes outside of the conversation, such as the window's size, it changes back. Problems, streams and routes
 * are those of one test. After a failed test the next one gets a new page.
 */
export function visitor(url, options = {}) {
  let page;

  async function leave(t, visited) {
    let kept = false;
    try {
      if (t.passed) await leaveConversation(visited);
      await judge(t, visited);
      kept = t.passed;
    } finally {
      if (kept) for (const list of [visited.problems, visited.allowed, visited.streams]) list.length = 0;
      else {
        page = undefined;
        await visited.context().close();
      }
    }
  }

  return async function visit(t, place) {
    if (page) await goTo(page, place);
    else {
      page = await createPage(optionsFor(url, { reducedMotion: "reduce", ...options }));
      await page.goto(`${url}/${place}`);
    }
    const visited = page;
    t.after(() => leave(t, visited));
    return visited;
  };
}

/** Returns the list of the requests that a page makes from now on until the end of the test. */
export function requestsOf(t, page) {
  const requests = [];
  const add = (request) => requests.push(request);
  page.on("request", add);
  t.after(() => page.off("request", add));
  return requests;
}

const goTo = (page, place) => page.evaluate((hash) => void (location.hash = hash), place);

/** Takes a page to a place without a conversation, where nothing is left of the last one. */
async function leaveConversation(page) {
  await page.unrouteAll({ behavior: "wait" });
  await goTo(page, "#/t/nobody/nothing");
  await page.getByTestId("no-agent").waitFor();
  await page.waitForFunction(() => {
    const notices = document.querySelectorAll('[data-testid="notice"] [aria-label="Dismiss"]');
    for (const notice of notices) notice.click();
    return notices.length === 0;
  });
}

/** Where the page is: {agent, thread, inspect}, the last with what the inspector shows, if it is open. */
export function placeOf(page) {
  const [path, query] = new URL(page.url()).hash.split("?");
  const [, , agent, thread] = path.split("/");
  return { agent, thread, ...(query && { inspect: Object.fromEntries(new URLSearchParams(query)) }) };
}

/** Waits until the page is at a thread, and returns its id. */
export async function threadOf(page) {
  await page.waitForURL(/#\/t\/[^/]+\/.+/);
  return placeOf(page).thread;
}

const quoted = (value) => JSON.stringify(value);

/** What begins a conversation on an empty page. */
export const starter = (page, title) => page.getByTestId("starter").filter({ hasText: title });

/** An open question by (part of) what it asks. */
export const question = (page, text) => page.getByTestId("question").filter({ has: page.getByRole("heading", { name: text }) });

/** An option of an open question. */
export const option = (page, value) => page.locator(`[data-testid="option"][data-value=${quoted(value)}]`);

/** Waits for the option, and picks it. */
export const pick = (page, value) => option(page, value).click();

/** Waits until a step of the plan is reached. */
export const step = (page, name) => page.locator(`[data-testid="itinerary"][data-step=${quoted(name)}]`).waitFor({ state: "attached" });

/** A row of the list of threads. */
export const row = (page, id) => page.locator(`[data-testid="thread"][data-thread=${quoted(id)}]`);

/** A notice, by the contract's code it shows. */
export const notice = (page, code) => page.locator(`[data-testid="notice"][data-code=${quoted(code)}]`);

/** Begins a plan on an empty page; returns the thread's id. */
export async function begin(page, title = "Plan my trip") {
  await starter(page, title).click();
  return threadOf(page);
}

/** Closes the inspector, which shows open questions a second time as long as it is there. */
export async function closeInspector(page) {
  await page.getByTestId("inspector-close").click();
  await page.getByTestId("inspector").waitFor({ state: "detached" });
}

/** Waits until the page shows no open question. */
export const unasked = (page) => page.getByTestId("questions").waitFor({ state: "detached" });

const texts = (locator) => locator.evaluateAll((elements) => elements.map((element) => element.textContent.trim()));

/** Fails unless the page shows the thread as GET /threads/{id} has it: each message once and in order, and the open questions. Returns the thread. */
export async function agreesAsked(page, gateway, id, agent) {
  const truth = await agrees(page, gateway, id, agent);
  const asked = page.getByTestId("question");
  assert.deepEqual(
    await asked.evaluateAll((elements) => elements.map((element) => element.dataset.id)),
    truth.interrupts.map(({ id }) => id),
  );
  return truth;
}

/** Does what agreesAsked does with a plan, and fails unless the page shows beside the conversation what is booked. Returns the thread. */
export async function agreesWhole(page, gateway, id, agent) {
  const truth = await agreesAsked(page, gateway, id, agent);
  const { origin, destination, itinerary = {}, experiences = [], planning_step: at } = truth.state;
  await step(page, at);
  const trip = page.getByTestId("itinerary");
  const piece = (kind) => texts(trip.getByTestId(`booked-${kind}`).getByRole("heading"));
  assert.deepEqual(await piece("flight"), itinerary.flight ? [itinerary.flight.airline] : []);
  assert.deepEqual(await piece("hotel"), itinerary.hotel ? [itinerary.hotel.name] : []);
  const named = await texts(trip.getByTestId("experiences").locator(".experience-name"));
  assert.deepEqual(
    named.map((name) => name.replace(/^\w+: /, "")),
    experiences.map(({ name }) => name),
  );
  const route = (await trip.getByTestId("route").textContent()).trim();
  assert.equal(route, destination ? `${origin}to${destination}` : "No route yet");
  return truth;
}

/** Answers what a plan asks, from wherever it is, until it is complete. */
export async function finish(page, { flight = "KLM", hotel = "Hotel Zoe" } = {}) {
  await pick(page, flight);
  await pick(page, hotel);
  await step(page, "complete");
  await unasked(page);
}

const visibility = (state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};

/** Lets the page believe that nobody looks at it: a tab behind another, a closed laptop. */
export const hide = (page) => page.evaluate(visibility, "hidden");

/** Lets the page believe that somebody looks at it again. */
export const show = (page) => page.evaluate(visibility, "visible");

/**
 * Waits until nothing moves on the page any more: what fades in has its colours, and what keeps its newest line in sight has
 * come there, but for a page of which end is false, where somebody has gone elsewhere.
 */
export async function still(page, { end = true } = {}) {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState, effect }) => playState !== "running" || effect.getComputedTiming().iterations === Infinity),
  );
  if (!end) return;
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-testid="copilot-chat"] *, [data-testid="timeline"]')]
      .filter((box) => /auto|scroll/.test(getComputedStyle(box).overflowY))
      .every((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 4),
  );
}

/** A team file with the travel team, and an agent that asks several questions at once. */
export const team = `
version: 1
agents:
  travel: { type: travel }
  order:
    type: script
    description: Takes an order
    steps:
      - say: "Three questions first."
      - ask_many:
          - { key: size, message: "Which size?", options: [S, M, L] }
          - { key: shop, message: "Which shop?", options: [ { name: Centre, open: "until 22:00" }, { name: Harbour, open: "until 18:00" } ] }
          - { key: name, message: "Which name shall be on it?" }
      - set: { path: /order, value: { size: "\${answers.size}", shop: "\${answers.shop}", name: "\${answers.name}" } }
      - say: "Ordered: size \${answers.size} for \${answers.name}."
`;
