// Forms on the gateway's own page: each kind of field by click and by keyboard, what is wrong said where it is, and JSON for
// what no form can be made of.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startAsker } from "./lib/asker.mjs";
import { say } from "./lib/chat.mjs";
import { getsFocus } from "./lib/keyboard.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { openPlanner, option, question, unasked, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const text = { type: "string" };
const one = (schema) => [{ message: "What is it?", responseSchema: schema }];

const kinds = object(
  {
    name: { ...text, description: "As in your passport" },
    seats: { type: "integer", minimum: 1, maximum: 9, default: 2 },
    price: { type: "number" },
    day: { ...text, format: "date" },
    start: { ...text, format: "date-time" },
    clock: { ...text, format: "time" },
    mail: { ...text, format: "email" },
    about: { ...text, maxLength: 2000 },
    window: { type: "boolean" },
    smoker: { type: "boolean" },
    size: { enum: ["S", 3, null] },
    tags: { type: "array", items: { enum: ["quiet", "sunny", "large"] }, uniqueItems: true },
  },
  ["name", "seats", "window"],
);
const home = object({ street: text, country: { ...text, default: "NL" } }, ["street"]);
const groups = object({ guests: { type: "array", items: object({ name: text, age: { type: "integer" } }, ["name"]) }, home, extra: { type: "object", additionalProperties: { type: "integer" } } }, ["guests"]);
const ways = object({
  pay: { oneOf: [object({ kind: { const: "card" }, number: text }), object({ kind: { const: "on_site" } })] },
  where: { anyOf: [{ type: "integer", title: "A number" }, { ...text, title: "A name" }] },
  other: {},
});
const tree = { type: "object", required: ["name"], properties: { name: text, children: { type: "array", items: { $ref: "#" } } } };

// Schemas that no form shows; those that cannot be read the gateway leaves out. All take {"a": 1}.
const odd = {
  "a tree": { ...tree, required: [] },
  "one without end": { $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { b: { $ref: "#/$defs/a" } } } } },
  "any object": { type: "object" },
  "a list of a thousand million": { type: "object", properties: { list: { type: "array", items: text, minItems: 1e9 } } },
  "four hundred members": object(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`member ${i}`, text])), []),
};

const asker = await startAsker({
  Kinds: one(kinds),
  Groups: one(groups),
  Ways: one(ways),
  Tree: one(tree),
  File: one(object({ picture: { ...text, contentEncoding: "base64" }, letter: { ...text, format: "data-url" } }, ["picture"])),
  Options: [
    {
      message: "Which one?",
      metadata: { value: { message: "Which one?", options: Array.from({ length: 1000 }, (_, i) => ({ name: `Hotel ${i}`, price: `$${i}` })), recommendation: { name: "Hotel 700", price: "$700" } } },
    },
  ],
  Both: [...one(object({ size: { type: "integer", maximum: 9 } })), { message: "And a tree?", responseSchema: tree }],
  Sure: [{ message: "Is this all right?", reason: "confirmation" }],
  ...Object.fromEntries(Object.entries(odd).map(([name, schema]) => [name, one(schema)])),
});

const gateway = await startGateway({
  team: `
version: 1
agents:
  asker: { type: agui, description: Asks anything, url: "${asker}" }
`,
});

const visit = visitor(gateway.url, { timezoneId: "Europe/Amsterdam" });

/** Lets the agent ask on a new thread, on a page that open(t, place) opens: the page, with its question open. */
async function asked(t, words, open = visit) {
  const page = await open(t, `#/t/asker/${crypto.randomUUID()}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, words);
  await page.getByTestId("question").first().waitFor();
  await page.getByTestId("answer-field").or(page.getByTestId("option")).first().waitFor();
  return page;
}

const label = (page, name) => page.getByTestId("questions").getByLabel(name);
const group = (page, name) => page.getByTestId("questions").getByRole("group", { name, exact: false });
const button = (page, name) => page.getByTestId("questions").getByRole("button", { name, exact: true });
const answer = (page) => page.getByTestId("answer-send").click();
const json = (page) => page.getByTestId("questions").getByLabel("as JSON");

/** Waits until the agent says what it was told, and returns that. */
async function told(page) {
  const line = page.getByText(/^You said: /).last();
  await line.waitFor();
  await unasked(page);
  return JSON.parse((await line.textContent()).replace("You said: ", ""));
}

test("each kind of field by click", async (t) => {
  const page = await asked(t, "Kinds");
  await label(page, "Name").fill("Ada");
  await label(page, "Price").fill("2.5");
  await label(page, "Day").fill("2030-01-31");
  await label(page, "Start").fill("2030-07-01T09:30:00");
  await label(page, "Mail").fill("ada@example.org");
  await label(page, "About").fill("One\nTwo");
  await group(page, "Window").getByRole("button", { name: "No" }).click();
  await label(page, "Size").selectOption("3");
  await label(page, "sunny").check();
  await label(page, "quiet").check();
  await answer(page);
  assert.deepEqual(await told(page), {
    name: "Ada",
    seats: 2,
    price: 2.5,
    day: "2030-01-31",
    start: "2030-07-01T09:30:00+02:00",
    mail: "ada@example.org",
    about: "One\nTwo",
    window: false,
    size: 3,
    tags: ["quiet", "sunny"],
  });
});

test("each kind of field by keyboard", async (t) => {
  const page = await asked(t, "Kinds");
  const keys = page.keyboard;
  await label(page, "Name").focus();
  await keys.type("Ada");
  await keys.press("Tab");
  await getsFocus(page, label(page, "Seats"));
  await keys.press("ArrowUp");
  await label(page, "Clock").focus();
  await keys.type("093000AM");
  await group(page, "Window").getByRole("button", { name: "Yes" }).focus();
  await keys.press("Space");
  await group(page, "Smoker").getByRole("button", { name: "Yes" }).focus();
  await keys.press("Enter");
  await keys.press("Enter"); // a second time takes it back
  await label(page, "Size").focus();
  await keys.type("None");
  await label(page, "large").focus();
  await keys.press("Space");
  await label(page, "Name").focus();
  await keys.press("Enter");
  const { clock, ...rest } = await told(page);
  assert.match(clock, /^09:30:00\+0[12]:00$/);
  assert.deepEqual(rest, { name: "Ada", seats: 3, window: true, size: null, tags: ["large"] });
});

test("what is wrong is said at its field, which has the focus, and is gone when it is right", async (t) => {
  const page = await asked(t, "Kinds");
  await label(page, "Seats").fill("12");
  await label(page, "Mail").fill("nobody");
  await label(page, "Seats").focus();
  const alert = (words) => page.getByTestId("questions").getByRole("alert").filter({ hasText: words });
  await alert("e-mail address").waitFor();
  assert.equal(await alert("Please answer this.").count(), 0, "what nobody has been to is not called missing yet");
  await answer(page);
  await alert("Please answer this.").first().waitFor();
  assert.equal(await alert("Please answer this.").count(), 2);
  await alert("At most 9, please.").waitFor();
  await getsFocus(page, label(page, "Name"));
  assert.equal(await label(page, "Seats").getAttribute("aria-invalid"), "true");
  assert.match(await label(page, "Seats").evaluate((field) => field.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("")), /At most 9/);
  await label(page, "Seats").fill("9");
  await label(page, "Mail").fill("");
  await label(page, "Name").fill("Ada");
  await group(page, "Window").getByRole("button", { name: "Yes" }).click();
  await alert("").first().waitFor({ state: "detached" });
  await answer(page);
  assert.deepEqual(await told(page), { name: "Ada", seats: 9, window: true });
});

test("a default that was deleted is not sent", async (t) => {
  const page = await asked(t, "Kinds");
  await label(page, "Name").fill("Ada");
  await group(page, "Window").getByRole("button", { name: "Yes" }).click();
  await label(page, "Seats").fill("");
  await answer(page);
  await page.getByTestId("questions").getByRole("alert").filter({ hasText: "Please answer this." }).waitFor();
  assert.equal(await label(page, "Seats").inputValue(), "");
});

test("lists are added to, moved and removed from, and groups left out", async (t) => {
  const page = await asked(t, "Groups");
  for (const name of ["Ada", "Grace", "Nobody"]) {
    await button(page, "Add to Guests").click();
    await group(page, "Guests").getByLabel("Name").last().fill(name);
  }
  await button(page, "Move up item 2").click();
  await button(page, "Remove item 3").click();
  await label(page, "Age").first().fill("45");
  await label(page, "Street").fill("Dam");
  await label(page, "Street").fill("");
  await answer(page);
  assert.deepEqual(await told(page), { guests: [{ name: "Grace", age: 45 }, { name: "Ada" }] });
});

test("members with names of one's own are added", async (t) => {
  const page = await asked(t, "Groups");
  await button(page, "Add to Guests").click();
  await group(page, "Guests").getByLabel("Name").fill("Ada");
  await label(page, "Street").fill("Dam 1");
  await button(page, "Add a member").click();
  await group(page, "Extra").getByLabel("Name").fill("bags");
  await group(page, "Extra").getByLabel("Value").fill("2");
  await answer(page);
  assert.deepEqual(await told(page), { guests: [{ name: "Ada" }], home: { street: "Dam 1" }, extra: { bags: 2 } });
});

test("of alternatives one is chosen, with the fields that it has", async (t) => {
  const page = await asked(t, "Ways");
  await label(page, "Number", { exact: true }).first().fill("4242");
  await label(page, "Pay").selectOption("On site");
  await label(page, "Where").selectOption("A name");
  await page.getByTestId("questions").getByRole("textbox", { name: "A name" }).fill("Utrecht");
  await label(page, "Other").fill('{"deep": [1]}');
  await answer(page);
  assert.deepEqual(await told(page), { pay: { kind: "on_site" }, where: "Utrecht", other: { deep: [1] } });
});

test("files are sent as the schema wants them, and none that is too large", async (t) => {
  const page = await asked(t, "File");
  const file = (size) => ({ name: "a b.txt", mimeType: "text/plain", buffer: Buffer.alloc(size, "a") });
  await label(page, "Picture").setInputFiles(file(2 * 1024 * 1024));
  await page.getByText(/more than 1 MB/).waitFor();
  await label(page, "Picture").setInputFiles(file(3));
  await label(page, "Letter").setInputFiles(file(3));
  await page.getByText("a b.txt (3 bytes)").waitFor();
  await button(page, "Remove a b.txt").click();
  await label(page, "Letter").setInputFiles(file(6));
  await page.getByText("a b.txt (6 bytes)").waitFor();
  await answer(page);
  assert.deepEqual(await told(page), { picture: "YWFh", letter: "data:text/plain;name=a%20b.txt;base64,YWFhYWFh" });
});

test("what no form can be made of is written as JSON, which says where it is wrong", async (t) => {
  const page = await asked(t, "Tree");
  await page.getByText("There is no form for this answer.", { exact: false }).waitFor();
  await json(page).fill('{\n  "name": Ada\n}');
  await page.getByText("look at line 2, column 11").waitFor();
  await json(page).fill('{"name": 1}');
  await page.getByText("name: Please enter a text.").waitFor();
  await page.getByText("The schema of the answer").click();
  await page.locator("pre").filter({ hasText: '"$ref": "#"' }).waitFor();
  await json(page).fill('{"name": "a", "children": [{"name": "b"}]}');
  await answer(page);
  assert.deepEqual(await told(page), { name: "a", children: [{ name: "b" }] });
});

test("no schema makes the page white", async (t) => {
  const page = await asked(t, "a tree");
  for (const name of Object.keys(odd)) {
    if (name !== "a tree") await say(page, name);
    await page.getByText("There is no form for this answer.", { exact: false }).waitFor();
    await json(page).fill('{"a": 1}');
    await answer(page);
    assert.deepEqual(await told(page), { a: 1 }, name);
  }
});

test("a form that throws becomes JSON", async (t) => {
  // Here because its library cannot be loaded.
  const prepare = (page) => page.route("**/assets/Rendered-*.js", (route) => route.abort());
  const page = await asked(t, "Kinds", (t, place) => openPlanner(t, gateway.url, { place, prepare }));
  page.allow(/Rendered|ERR_FAILED/);
  await page.getByText("It could not be shown.", { exact: false }).waitFor();
  await json(page).fill('{"name": "Ada", "seats": 1, "window": true}');
  await answer(page);
  assert.deepEqual(await told(page), { name: "Ada", seats: 1, window: true });
});

test("what was filled in survives JSON and back, and another view", async (t) => {
  const page = await asked(t, "Kinds");
  await label(page, "Name").fill("Ada");
  await label(page, "Price").fill("2.5");
  await button(page, "Write it as JSON").click();
  assert.deepEqual(JSON.parse(await json(page).inputValue()), { name: "Ada", seats: 2, price: 2.5 });
  await json(page).fill('{"name": "Ada", "seats": 3, ');
  assert.equal(await button(page, "Back to the form").isDisabled(), true, "it is no JSON that a form could show");
  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  await page.goBack();
  await json(page).waitFor();
  assert.equal(await json(page).inputValue(), '{"name": "Ada", "seats": 3, ');
  await json(page).fill('{"name": "Ada", "seats": 3, "window": true}');
  await button(page, "Back to the form").click();
  assert.deepEqual([await label(page, "Name").inputValue(), await label(page, "Seats").inputValue()], ["Ada", "3"]);
  await answer(page);
  assert.deepEqual(await told(page), { name: "Ada", seats: 3, window: true });
});

test("several questions have a form each and are sent together", async (t) => {
  const page = await asked(t, "Both");
  const send = page.getByTestId("send-answers");
  await question(page, "What is it?").getByLabel("Size").fill("12");
  await question(page, "And a tree?").getByLabel("as JSON").fill('{"name": "a"}');
  await question(page, "What is it?").getByText("At most 9, please.").waitFor();
  assert.equal(await send.isDisabled(), true);
  await question(page, "What is it?").getByLabel("Size").fill("9");
  await send.click();
  await page.getByText('You said: {"size":9}, {"name":"a"}').waitFor();
});

test("what is to be confirmed may be left without a word", async (t) => {
  const page = await asked(t, "Sure");
  await page.getByTestId("questions").getByText("(optional)").waitFor();
  await answer(page);
  assert.equal(await told(page), "");
});

test("of a thousand options some are shown, and any is found", async (t) => {
  const page = await asked(t, "Options");
  const options = page.getByTestId("option");
  assert.equal(await options.count(), 51);
  assert.equal(await options.first().getAttribute("data-value"), "Hotel 700", "what is recommended is in sight");
  await page.getByTestId("options-more").click();
  assert.equal(await options.count(), 101);
  await page.getByTestId("options-find").fill("hotel 99 $99");
  await page.getByText("11 found.").waitFor();
  assert.equal(await options.count(), 11);
  await page.getByTestId("options-find").fill("nowhere");
  await page.getByText("None has these words.").waitFor();
  await page.getByTestId("options-find").fill("987");
  await option(page, "Hotel 987").focus();
  await page.keyboard.press("Enter");
  assert.deepEqual(await told(page), { name: "Hotel 987", price: "$987" });
});

looksTogether("forms, their problems, JSON and a thousand options", async (t, look) => {
  const page = await asked(t, "Kinds", (t, place) => openPlanner(t, gateway.url, { place, ...look.options }));
  const { stage, done } = camera(page, look);
  const next = async (words) => {
    await page.getByTestId("never-mind").click();
    await unasked(page);
    await say(page, words);
    await page.getByTestId("questions").getByTestId("answer-field").or(page.getByTestId("option")).first().waitFor();
  };
  await label(page, "Seats").fill("12");
  await answer(page);
  await page.getByTestId("questions").getByRole("alert").first().waitFor();
  await stage("form 1 kinds", { end: false });
  await next("Groups");
  await button(page, "Add to Guests").click();
  await button(page, "Add a member").click();
  await stage("form 2 groups", { end: false });
  await next("Ways");
  await stage("form 3 alternatives", { end: false });
  await next("Tree");
  await json(page).fill("{");
  await page.getByText("The schema of the answer").click();
  await stage("form 4 JSON", { end: false });
  await next("Options");
  await stage("form 5 options", { end: false });
  done();
});
