// Questions that were answered, on the gateway's own page: they stay in the conversation with what was offered.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startAsker } from "./lib/asker.mjs";
import { begun } from "./lib/begun.mjs";
import { idle, say } from "./lib/chat.mjs";
import { camera, ofColours } from "./lib/looks.mjs";
import { openPlanner, option, pick, placeOf, question, row, still, team as planners, threadOf, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const many = Array.from({ length: 1000 }, (_, i) => ({ name: `Room ${i}`, floor: i % 9 }));
const asker = await startAsker({ Rooms: [{ message: "Which room?", metadata: { value: { options: many } } }] });
const gateway = await startGateway({
  team: `${planners}
  tailor:
    type: script
    description: Asks for a size, and tells it
    steps:
      - say: "Let me see."
      - ask: { key: size, message: "Which size?", options: [ S, M, L ] }
      - say: "Size \${answers.size}."
  brief:
    type: script
    description: Does not wait for long
    steps:
      - ask: { key: size, message: "Which size?", options: [ S, M ], ttl: 2s }
      - say: "Size \${answers.size}."
  rooms: { type: agui, description: Has many rooms, url: "${asker}" }
`,
});

const answered = (page, text) => page.getByTestId("answered").filter({ has: page.getByRole("heading", { name: text }) });

/** What the page shows of an answered question. */
const shown = (page, text) =>
  answered(page, text).evaluate((card) => ({
    status: card.dataset.status,
    offered: [...card.querySelectorAll("[data-testid=offered]")].map(({ dataset }) => dataset.value),
    chosen: [...card.querySelectorAll("[data-chosen]")].map(({ dataset }) => dataset.value),
    written: card.querySelector("[data-testid=written]")?.innerText.replaceAll(/\s+/g, " ").trim(),
  }));

/** What stands in the conversation, in its order: the answered questions, and the messages by what they say. */
const order = (page) =>
  page.locator("[data-testid=answered] h3, [data-message-id]").evaluateAll((elements) => elements.map((element) => element.innerText.trim()));

/** A page where somebody has said something to an agent: the page, and the thread's id. */
async function opened(t, agent, text, options) {
  const id = randomUUID();
  const page = await openPlanner(t, gateway.url, { place: `#/t/${agent}/${id}`, ...options });
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, text);
  return { page, id };
}

test("an answered question stays with what was offered: at once, after a reload and in another tab", async (t) => {
  const { page, id } = await opened(t, "tailor", "A coat, please");
  await question(page, "Which size?").waitFor();
  const other = await openPlanner(t, gateway.url, { context: page.context(), place: `#/t/tailor/${id}` });
  await question(other, "Which size?").waitFor();
  assert.equal(await page.getByTestId("answered").count(), 0);
  await pick(page, "M");
  for (const tab of [page, other]) {
    await answered(tab, "Which size?").waitFor();
    await unasked(tab);
    await tab.getByText("Size M.").waitFor();
    assert.deepEqual(await shown(tab, "Which size?"), { status: "resolved", offered: ["S", "M", "L"], chosen: ["M"], written: undefined });
  }
  await page.reload();
  await answered(page, "Which size?").waitFor();
  await idle(page);
  await say(page, "And a hat");
  await question(page, "Which size?").waitFor();
  await pick(page, "L");
  await answered(page, "Which size?").nth(1).waitFor();
  await page.getByText("Size L.").waitFor();
  const asked = "Which size?";
  assert.deepEqual(await order(page), ["A coat, please", "Let me see.", asked, "Size M.", "And a hat", "Let me see.", asked, "Size L."]);
  assert.match(await answered(page, asked).first().getByText("Answered").textContent(), /just now|min/);
});

test("several questions keep their answers each: an option, one with facts, and what was written", async (t) => {
  const { page } = await opened(t, "order", "A coat, please");
  await pick(page, "M");
  await pick(page, "Harbour");
  await question(page, "Which name").getByRole("textbox").fill("Ada");
  await page.getByTestId("send-answers").click();
  await page.getByText("Ordered: size M for Ada.").waitFor();
  await page.getByTestId("answered").nth(2).waitFor();
  assert.deepEqual(await shown(page, "Which size?"), { status: "resolved", offered: ["S", "M", "L"], chosen: ["M"], written: undefined });
  assert.deepEqual(await shown(page, "Which shop?"), { status: "resolved", offered: ["Centre", "Harbour"], chosen: ["Harbour"], written: undefined });
  assert.match(await answered(page, "Which shop?").innerText(), /until 18:00/);
  assert.equal((await shown(page, "Which name")).written, "Ada");
});

test("a question that was skipped, or that expired, says so", async (t) => {
  const { page } = await opened(t, "tailor", "A coat, please");
  await question(page, "Which size?").waitFor();
  await page.getByTestId("never-mind").click();
  await answered(page, "Which size?").waitFor();
  assert.deepEqual(await shown(page, "Which size?"), { status: "cancelled", offered: ["S", "M", "L"], chosen: [], written: undefined });
  await answered(page, "Which size?").getByText("Skipped").waitFor();

  const { page: late } = await opened(t, "brief", "A coat, please");
  await late.getByTestId("expired").waitFor();
  await say(late, "A hat, then");
  await answered(late, "Which size?").waitFor();
  assert.deepEqual(await shown(late, "Which size?"), { status: "expired", offered: ["S", "M"], chosen: [], written: undefined });
});

test("an answer leaves with its turn when that runs again, and is in a copy of the conversation", async (t) => {
  const { page, id } = await opened(t, "tailor", "A coat, please");
  await pick(page, "M");
  await page.getByText("Size M.").waitFor();
  await answered(page, "Which size?").waitFor();
  await idle(page);
  await row(page, id).hover();
  await row(page, id).getByTestId("thread-fork").click();
  await page.waitForFunction((before) => !location.hash.includes(before), id);
  await threadOf(page);
  await answered(page, "Which size?").waitFor();
  assert.deepEqual((await shown(page, "Which size?")).chosen, ["M"]);
  await page.goBack();
  await page.waitForFunction((back) => location.hash.includes(back), id);
  await page.getByText("Size M.").waitFor();
  const last = page.getByTestId("said").last();
  await last.hover();
  await last.getByRole("button", { name: "Regenerate" }).click();
  await question(page, "Which size?").waitFor();
  await page.getByTestId("answered").waitFor({ state: "detached" });
  assert.equal(placeOf(page).thread, id);
});

test("of a thousand options the chosen one and a few are shown, and the others when they are asked for", async (t) => {
  const { page } = await opened(t, "rooms", "Rooms");
  await page.getByTestId("options-find").fill("Room 700");
  await option(page, "Room 700").click();
  await answered(page, "Which room?").waitFor();
  const card = answered(page, "Which room?");
  assert.deepEqual((await shown(page, "Which room?")).chosen, ["Room 700"]);
  assert.equal(await card.getByTestId("offered").filter({ visible: true }).count(), 9);
  await card.getByText("991 more").click();
  assert.equal(await card.getByTestId("offered").filter({ visible: true }).count(), 1000);
});

for (const look of ["light", "dark phone"]) {
  test(`${look}: answered questions`, async (t) => {
    const phone = look.endsWith("phone");
    const colorScheme = look.split(" ")[0];
    const id = await begun(gateway, "order", "A coat, please");
    const size = phone ? { viewport: { width: 360, height: 740 }, hasTouch: true } : {};
    const page = await openPlanner(t, gateway.url, { place: `#/t/order/${id}`, colorScheme, reducedMotion: "reduce", ...size });
    const { stage, done } = camera(page, `${look} answered`, colorScheme === "dark" ? ofColours : {});
    await pick(page, "M");
    await pick(page, "Harbour");
    await question(page, "Which name").getByRole("textbox").fill("Ada");
    await page.getByTestId("send-answers").click();
    await page.getByTestId("answered").nth(2).waitFor();
    await page.getByText("Ordered: size M for Ada.").waitFor();
    await still(page, { end: false });
    await stage("1 answered", { end: false });
    done();
  });
}
