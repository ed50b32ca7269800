// A page made of the hook and the cards of @agui-gateway/client: reloads in the middle of a run and of a question lose nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startAsker } from "./lib/asker.mjs";
import { openPage } from "./lib/browser.mjs";
import { startDesk } from "./lib/desk.mjs";
import { servePages, startGateway } from "./lib/servers.mjs";
import { answer as held, startHeldModel } from "../lib/held.mjs";
import { until } from "../lib/until.mjs";

const pages = await servePages();
const desk = await startDesk();
const model = await startHeldModel();
const asker = await startAsker({
  "Two things": [
    { message: "Which size?", responseSchema: { type: "object", properties: { size: { enum: ["S", "M"] } }, required: ["size"] } },
    { message: "How many?", responseSchema: { type: "object", properties: { count: { type: "integer", maximum: 9 }, note: { type: "string" } }, required: ["count"] } },
  ],
});
const gateway = await startGateway({
  team: JSON.stringify({ version: 1, models: model.models, agents: { desk: { type: "llm", model: "held" }, asker: { type: "agui", url: asker } } }),
});

const open = (t, agent, { url } = gateway) =>
  openPage(t, `${pages}/?${new URLSearchParams({ way: "client", url: `${url}/agents/${agent}` })}`);
const say = async (page, text) => {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
};
const shows = (page, text) => page.getByText(text, { exact: true }).waitFor();
const idle = (page) => page.locator('main[data-running="false"]').waitFor();

/** The newest thread of an agent, as the gateway has it. */
async function newest(agent) {
  const { threads } = await (await fetch(`${gateway.url}/threads?agent=${agent}`)).json();
  return (await fetch(`${gateway.url}/threads/${threads[0].id}?agent=${agent}`)).json();
}

/** Fails unless the page shows the texts of the thread, each once and in order; returns the thread. */
async function agrees(page, agent) {
  await idle(page);
  const thread = await newest(agent);
  const said = thread.messages.filter(({ role, content }) => /user|assistant/.test(role) && content).map(({ id, content }) => [id, content]);
  const shown = await page.locator("[data-message]").evaluateAll((all) => all.map((one) => [one.dataset.message, one.textContent]));
  assert.deepEqual(shown, said);
  return thread;
}

test("a reload in the middle of a run loses nothing, and the run is not stopped", async (t) => {
  const page = await open(t, "desk");
  await say(page, "Go");
  await shows(page, held.beginning);
  await page.reload();
  await shows(page, held.beginning);
  await shows(page, "Go");
  await page.reload(); // once more, in the same run
  await shows(page, held.beginning);
  await model.release();
  await shows(page, held.beginning + held.rest);
  const { runs, messages } = await agrees(page, "desk");
  assert.deepEqual([runs.map(({ status }) => status), messages.length], [["success"], 2]);
  await say(page, "Hello");
  await shows(page, held.greeting);
  await agrees(page, "desk");
});

test("a stop is explicit", async (t) => {
  const page = await open(t, "desk");
  await say(page, "Go");
  await shows(page, held.beginning);
  await page.getByRole("button", { name: "Stop" }).click();
  await idle(page);
  await until("the run is stopped", async () => (await newest("desk")).runs[0].status === "cancelled");
});

test("questions are cards, also after a reload, and are answered together", async (t) => {
  const page = await open(t, "asker");
  await say(page, "Two things");
  await page.getByRole("region", { name: "Which size?" }).waitFor();
  await page.reload();
  const size = page.getByRole("region", { name: "Which size?" });
  const count = page.getByRole("region", { name: "How many?" });
  const send = page.getByRole("button", { name: "Send 2 answers" });
  await size.getByRole("button", { name: "M" }).click();
  assert.equal(await send.isDisabled(), true);
  await count.getByLabel("Count").fill("12");
  await count.getByLabel("Note").fill("soon");
  await count.getByText("At most 9, please.").waitFor();
  await count.getByLabel("Count").fill("3");
  await send.click();
  await shows(page, 'You said: {"size":"M"}, {"count":3,"note":"soon"}');
  await agrees(page, "asker");
});

test("a call is approved with edited arguments, and its numbers stay exact", async (t) => {
  const page = await open(t, "desk", desk.gateway);
  await say(page, "Move it");
  const card = page.getByTestId("approval");
  await card.getByText("9007199254740993").waitFor();
  await card.getByRole("button", { name: "Edit" }).click();
  await card.getByLabel("Note").fill("pay 1");
  await page.shot("client-approval");
  await card.getByRole("button", { name: "Approve with changes" }).click();
  await shows(page, "That is that.");
  assert.match(desk.shop.bodies.at(-1), /"account": ?9007199254740993\b/);
  assert.match(desk.shop.bodies.at(-1), /"note": ?"pay 1"/);
});

test("a refused answer is said on the card, which stays open", async (t) => {
  const page = await open(t, "desk", desk.gateway);
  await say(page, "Refund it");
  await page.route("**/agents/desk?**", async (route) => {
    const body = route.request().postDataJSON();
    body.resume[0].payload = { approved: true, editedArgs: { order: "A-1", euros: 4000 } };
    await route.continue({ postData: JSON.stringify(body) });
  }, { times: 1 });
  const card = page.getByRole("region", { name: /refund/ });
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("alert").filter({ hasText: "/editedArgs/euros" }).waitFor();
  await card.getByRole("button", { name: "Approve" }).click();
  await shows(page, "That is that.");
  assert.deepEqual(desk.shop.asked.at(-1), { order: "A-1", euros: 40 });
});
