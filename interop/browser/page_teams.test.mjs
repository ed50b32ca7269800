// The gateway's own page with every agent of examples/teams: by clicks and without a mouse, in turn on each push, and both nightly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { card } from "./lib/calls.mjs";
import { thread } from "./lib/chat.mjs";
import { focused, tabTo } from "./lib/keyboard.mjs";
import { pushed } from "./lib/nightly.mjs";
import { openPlanner, option, question, threadOf, unasked } from "./lib/planner.mjs";
import { serveTeams } from "../models/lib/teams.mjs";

const { gateways } = await serveTeams();

/** How a person does things: press what can be pressed, and write into a field. */
const ways = {
  "by clicks": {
    press: (_, target) => target.click(),
    write: (_, field, text) => field.fill(text),
  },
  "without a mouse": {
    async press(page, target) {
      await reach(page, target);
      await page.keyboard.press("Enter");
    },
    async write(page, field, text) {
      await reach(page, field);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(text);
    },
  },
};

async function reach(page, target) {
  await target.waitFor();
  if (!(await focused(target))) await tabTo(page, target, { within: 80 });
}

const send = (card) => card.getByTestId("answer-send");
const approve = (page, tool) => card(page, tool).getByTestId("approve");

// What is said to an agent of each team, what is done until it has said the last, and what that is.
const teams = {
  assistant: ["assistant", "What is two and two?", async () => {}, "Four."],
  planner: [
    "desk",
    "How many piano tuners are there?",
    async (page, { press }) => {
      const card = question(page, "Shall we go about it like this?");
      await press(page, card.locator('[data-testid="option"][data-value="Yes"]').first());
      await press(page, send(card));
    },
    "About three.",
  ],
  "research-desk": [
    "desk",
    "Write about the tides",
    async (page, { press, write }) => {
      const card = question(page, "Is the draft all right?");
      await card.waitFor();
      await write(page, card.getByRole("textbox").first(), "Shorter, please");
      await press(page, send(card));
      await page.getByText("Tides in brief.").first().waitFor();
      await card.waitFor();
      await press(page, card.locator('[data-testid="option"][data-value="Yes"]').first());
      await press(page, send(card));
    },
    "Tides in brief.",
  ],
  travel: [
    "travel",
    "Plan my trip",
    async (page, { press }) => {
      await press(page, option(page, "KLM"));
      await press(page, option(page, "Hotel Zoe"));
      await page.locator('[data-testid="itinerary"][data-step="complete"]').waitFor({ state: "attached" });
    },
    "Hotel Zoe",
  ],
  triage: ["support", "I was charged twice", async () => {}, "You get 12 euros back."],
  panel: ["panel", "Should our bakery close on Mondays?", async () => {}, "Not yet. The contracts decide it"],
  support: ["support", "I was charged twice for order 1042.", (page, { press }) => press(page, approve(page, "refund")), "You have 45 euros back"],
  delegation: [
    "organiser",
    "Prepare our summer party for 40 people.",
    async (page, { press }) => {
      await press(page, approve(page, "buyer"));
      await press(page, approve(page, "book"));
    },
    "The boat is booked for 20 June.",
  ],
  approvals: [
    "claims",
    "Claims 17 and 18",
    async (page, { press }) => {
      await press(page, approve(page, "pay"));
      await press(page, approve(page, "pay_exception"));
      await press(page, page.getByTestId("send-answers"));
    },
    "Claims 17 and 18 are paid.",
  ],
  remote: ["desk", "May I do that?", (page, { press }) => press(page, option(page, "Japan")), "You may."],
};

test("every team is tried", () => {
  assert.deepEqual(Object.keys(teams).toSorted(), Object.keys(gateways).toSorted());
});

for (const [i, [name, [agent, words, act, last]]] of Object.entries(teams).entries()) {
  for (const [j, [way, hands]] of Object.entries(ways).entries()) {
    pushed(i % 2 === j)(`${name} ${way}`, async (t) => {
      const page = await openPlanner(t, gateways[name].url, { place: `#/t/${agent}` });
      const field = page.getByTestId("copilot-chat-textarea");
      await hands.write(page, field, words);
      await page.keyboard.press("Enter");
      await act(page, hands);
      await page.getByText(last).last().waitFor();
      await unasked(page);
      await page.locator('[data-testid="copilot-chat"][data-copilot-running="false"]').waitFor();
      const { status } = await thread(gateways[name], await threadOf(page), agent);
      assert.equal(status, "idle");
    });
  }
}
