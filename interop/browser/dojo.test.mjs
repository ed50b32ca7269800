// The AG-UI Dojo's pages, rebuilt on CopilotKit's hooks, with the agents of examples/dojo: straight at the gateway, and every night behind
// CopilotKit's runtime in Node too. A model speaks for each. The Dojo's own pages and specs are run by `make dojo`.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { key, startMock } from "../models/lib/mock.mjs";
import { openPage } from "./lib/browser.mjs";
import { idle, say, shown } from "./lib/chat.mjs";
import { isNightly } from "./lib/nightly.mjs";
import { ask, servePages, startGateway } from "./lib/servers.mjs";
import { judgeFrames } from "../copilotkit/frames.mjs";

const call = (name, args) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] });
const first = (userMessage, response) => ({ match: { userMessage, hasToolResult: false }, response });
const then = (userMessage, content) => ({ match: { userMessage, hasToolResult: true }, response: { content } });
const steps = (status, ...names) => ({ steps: names.map((description) => ({ description, status })) });
const story = "There was a dragon in the mountains who was afraid of the dark. ".repeat(8).trim();

const mock = await startMock([
  first("Make it green", call("change_background", { background: "green" })),
  then("Make it green", "It is green now."),
  first("What is this?", { content: "It is a picture." }),
  first("Why is the sky blue?", { content: "Because of the air.", reasoning: "Short waves are scattered more." }),
  first("Bake a cake", call("generate_task_steps_generative_ui", steps("pending", "Mix", "Bake"))),
  then("Bake a cake", "The cake is ready."),
  first("How is the weather in Oslo?", call("get_weather", { location: "Oslo" })),
  then("How is the weather in Oslo?", "Take sunglasses."),
  first("Plan a picnic", call("generate_task_steps", steps("enabled", "Buy bread", "Find a meadow"))),
  then("Plan a picnic", "Off we go."),
  first("Plan a walk", call("plan_execution_steps", steps("enabled", "Buy shoes", "Find a path"))),
  then("Plan a walk", "Let us walk."),
  first("Book a call", call("schedule_meeting", { topic: "Prices", attendee: "sales" })),
  then("Book a call", "It is booked."),
  { ...first("Tell of a dragon", call("write_document_local", { document: story })), chunkSize: 20, latency: 30 },
  then("Tell of a dragon", "The story is written."),
  first("A soup, please", call("generate_recipe", { recipe: { title: "Soup", ingredients: [{ name: "Leek", amount: "2" }], instructions: ["Boil."] } })),
  then("A soup, please", "Here is a soup."),
  first("What is in it?", { content: "Carrots and potatoes." }),
  first("A haiku about snow", call("generate_haiku", { japanese: ["雪", "静か", "朝"], english: ["Snow", "Silence", "Morning"] })),
]);

const pages = await servePages();
const gateway = await startGateway({
  args: ["-config", fileURLToPath(new URL("../../examples/dojo/team.yaml", import.meta.url)), "-model-url", mock.url, "-model-key", key, "-model", "gpt-4.1-mini"],
});
const ways = { "straight": `${gateway.url}/api/copilotkit`, ...(isNightly && { "behind the Node runtime": await behindRuntime() }) };

/** Starts CopilotKit's runtime before the gateway; returns its URL. */
async function behindRuntime() {
  const { HttpAgent } = await import("@ag-ui/client");
  const { startRuntime } = await import("./lib/reference.mjs"); // loading it takes longer than a test
  const { body } = await ask(`${gateway.url}/agents`);
  const runtime = await startRuntime(Object.fromEntries(body.agents.map(({ id }) => [id, new HttpAgent({ url: `${gateway.url}/agents/${id}` })])));
  after(() => runtime.close());
  return runtime.url.single;
}

const region = (page, name) => page.getByLabel(name, { exact: true });
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

/** Waits until the agent has said the text, and nothing runs. */
async function hears(page, text) {
  await page.locator('[data-testid="copilot-assistant-message"]').filter({ hasText: text }).waitFor();
  await idle(page);
}

/** What a person does on each page, and what comes of it. */
const features = {
  async agentic_chat(page) {
    await say(page, "Make it green");
    await page.getByText("Background: green", { exact: true }).waitFor();
    await hears(page, "It is green now.");
  },
  async agentic_chat_multimodal(page) {
    const asked = (await mock.requests()).length;
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    await page.locator('input[type="file"]').first().setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: png });
    await say(page, "What is this?");
    await hears(page, "It is a picture.");
    const [{ messages }] = (await mock.requests()).slice(asked);
    const picture = messages.at(-1).content.find(({ type }) => type === "image_url");
    assert.equal(picture.image_url.url, `data:image/png;base64,${png.toString("base64")}`);
  },
  async agentic_chat_reasoning(page) {
    await say(page, "Why is the sky blue?");
    await hears(page, "Because of the air.");
    await page.getByText(/Thought for/).waitFor();
  },
  async agentic_generative_ui(page) {
    await say(page, "Bake a cake");
    await hears(page, "The cake is ready.");
    const progress = await region(page, "Progress").locator("li").evaluateAll((items) => items.map(({ innerText, dataset }) => [innerText, dataset.status]));
    assert.deepEqual(progress, [["Mix", "completed"], ["Bake", "completed"]]);
  },
  async backend_tool_rendering(page) {
    await say(page, "How is the weather in Oslo?");
    await hears(page, "Take sunglasses.");
    assert.equal(await page.getByTestId("weather-card").innerText(), "Oslo: 20°, sunny");
  },
  async human_in_the_loop(page) {
    await say(page, "Plan a picnic");
    await page.getByText("A tool of the page", { exact: true }).waitFor();
    await page.getByLabel("Buy bread").uncheck();
    await press(page, "Perform steps");
    await hears(page, "Off we go.");
  },
  async human_in_the_loop_interrupt(page) {
    await say(page, "Plan a walk");
    await page.getByText("An interrupt", { exact: true }).waitFor();
    await page.getByLabel("Buy shoes").uncheck();
    await press(page, "Perform steps");
    await hears(page, "Let us walk.");
    const told = (await mock.requests()).findLast(({ messages }) => messages.at(-1).role === "tool").messages.at(-1).content;
    assert.match(told, /Find a path/);
    assert.doesNotMatch(told, /Buy shoes/);
  },
  async interrupt(page) {
    await say(page, "Book a call");
    await page.getByText("Prices", { exact: true }).waitFor();
    await press(page, "None of these");
    await idle(page);
    await page.getByText("Prices", { exact: true }).waitFor({ state: "detached" });
  },
  async predictive_state_updates(page) {
    await say(page, "Tell of a dragon");
    await press(page, "Keep them");
    await hears(page, "The story is written.");
    const written = region(page, "Document");
    assert.equal(await written.innerText(), story);
    assert.ok(Number(await written.getAttribute("data-versions")) > 2, "the document did not grow while it was written");
  },
  async shared_state(page) {
    await say(page, "A soup, please");
    await hears(page, "Here is a soup.");
    await region(page, "Recipe").getByText("Leek: 2", { exact: true }).waitFor();
    await press(page, "Add potatoes");
    const asked = (await mock.requests()).length;
    await say(page, "What is in it?");
    await hears(page, "Carrots and potatoes.");
    const [request] = (await mock.requests()).slice(asked);
    assert.match(JSON.stringify(request.messages), /Potatoes/, "the model is not told what the page has changed");
  },
  async tool_based_generative_ui(page) {
    await say(page, "A haiku about snow");
    await region(page, "A haiku beside it").getByText("朝 Morning").waitFor();
    await region(page, "A haiku in the chat").getByText("朝 Morning").waitFor();
    await idle(page);
  },
};

for (const [way, url] of Object.entries(ways)) {
  describe(way, () => {
    for (const [feature, use] of Object.entries(features)) {
      test(`${feature}, ${way}`, async (t) => {
        const thread = randomUUID();
        const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "dojo", feature, url, thread, single: "1" })}`);
        await use(page);
        const ids = (await shown(page)).map(({ id }) => id);
        assert.deepEqual(ids, [...new Set(ids)], "a message is shown twice");
        await judgeFrames(page, { least: 1 });
      });
    }

    test(`error_flow, ${way}`, async (t) => {
      const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "dojo", feature: "error_flow", url, thread: randomUUID(), single: "1" })}`);
      page.allow(/CrewAI flow failed|AGUI_CREWAI_FLOW_ERROR/);
      await say(page, "Fail, please");
      await idle(page);
      const ends = page.streams.flatMap(({ text }) => [...text.matchAll(/"type":"RUN_ERROR"[^\n]*/g)].map(([line]) => line));
      assert.equal(ends.length, 1);
      assert.match(ends[0], /"code":"AGUI_CREWAI_FLOW_ERROR_RUNTIMEERROR"/);
    });
  });
}
