// The gateway's own page where people have to say who they are: ann and ben, each with a key and a browser of their own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { agrees, say, shown } from "./lib/chat.mjs";
import { agreesWhole, begin, openPlanner, option, pick, question, row, show, step, threadOf, unasked } from "./lib/planner.mjs";
import { enter, keyField, openAs, signedIn, signIn, signOut, withKey } from "./lib/people.mjs";
import { ask, startGateway } from "./lib/servers.mjs";
import { gate, says, startTeller } from "./lib/teller.mjs";
import { keysFile } from "../lib/keys.mjs";

const { args, keys, write } = keysFile(["ann", "ben", "eve"], { roles: { ann: ["editor", "traveller"] } });
const held = gate();
const teller = await startTeller({ Slowly: [...says("One moment."), held.wait] });
const gateway = await startGateway({ args });
const guarded = await startGateway({
  args,
  team: `
version: 1
agents:
  desk:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: talker, type: agui, url: "${teller}" }
      - name: clerk
        type: script
        steps:
          - ask: { key: size, message: "Which size?", options: [ S, M ] }
          - ask: { key: shop, message: "Which shop?", options: [ Centre, Harbour ] }
          - say: "Size \${answers.size}."
  vault: { type: script, steps: [ { say: "Hello." } ], allow: [ editor ] }
`,
});
const ann = withKey(gateway, keys.ann);

test("ann and ben in two browsers: each has plans of their own, and sees nothing of the other's", async (t) => {
  const annsPlan = await begun(withKey(gateway, keys.ann), "travel", "Plan my trip");
  const [ann, ben] = await Promise.all([openAs(t, gateway, keys, "ann", { place: `#/t/travel/${annsPlan}` }), openAs(t, gateway, keys, "ben")]);
  const bensPlan = await begin(ben, "Tell me about San Francisco");
  await question(ann, /flight/i).waitFor();
  await row(ann, annsPlan).waitFor();
  await row(ben, bensPlan).waitFor();
  assert.equal(await row(ann, bensPlan).count(), 0);
  assert.equal(await row(ben, annsPlan).count(), 0);

  // A plan of ann's is to ben what a plan is that nobody has begun.
  const looks = async (id) => {
    await ben.goto(`${gateway.url}/#/t/travel/${id}`);
    await ben.getByTestId("welcome").waitFor();
    return { text: (await ben.getByTestId("chat").innerText()).trim(), rows: await ben.getByTestId("thread").count() };
  };
  ben.allow(/\b404\b/);
  assert.deepEqual(await looks(annsPlan), await looks(crypto.randomUUID()));
  assert.equal((await ask(`${gateway.url}/threads/${annsPlan}`, withKey(gateway, keys.ben))).status, 404);

  await ann.getByTestId("person").click();
  const card = ann.getByTestId("person-card");
  assert.match(await card.innerText(), /key:ann[^]*API key[^]*editor, traveller[^]*Sign out/);
});

test("a question that ann was asked is answered by ann in a second tab, where she has to sign in too", async (t) => {
  const id = await begun(ann, "travel", "Plan my trip");
  const first = await openAs(t, gateway, keys, "ann", { place: `#/t/travel/${id}` });
  await question(first, /flight/i).waitFor();
  const second = await openAs(t, gateway, keys, "ann", { context: first.context(), place: `#/t/travel/${id}` });
  await pick(second, "KLM");
  await question(first, /hotel/i).waitFor();
  await first.reload(); // which keeps her signed in
  await pick(first, "Hotel Zoe");
  await step(second, "complete");
  const { state } = await agreesWhole(second, ann, id);
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zoe"]);
  assert.equal(await keyField(first).count(), 0);
});

test("who signs out leaves nothing behind for who signs in next, in that tab or in a copy of it", async (t) => {
  const id = await begun(ann, "travel", "Plan my trip");
  const page = await openAs(t, gateway, keys, "ann", { place: `#/t/travel/${id}` });
  await question(page, /flight/i).waitFor();
  await page.getByTestId("copilot-chat-textarea").fill("ann's secret wish");

  const duplicated = page.context().waitForEvent("page");
  await page.evaluate(() => void open(location.href)); // a tab with a copy of this one's sessionStorage
  const copy = await duplicated;
  await signedIn(copy, "ann");
  await question(copy, /flight/i).waitFor();

  await page.getByTestId("new-thread").click();
  await page.getByTestId("welcome").waitFor();
  await signOut(page);
  await keyField(page).waitFor();
  await keyField(copy).waitFor();
  assert.deepEqual(await page.evaluate(() => [Object.entries(sessionStorage), Object.keys(localStorage)]), [[["session", "{}"]], []]);
  assert.equal(new URL(page.url()).hash, "");
  await enter(page, keys.eve);
  await signedIn(page, "eve");
  await page.getByTestId("welcome").waitFor();
  assert.equal(await page.getByTestId("thread").count(), 0);

  // The way back leads to the address of ann's plan, and not to the plan.
  page.allow(/\b404\b/);
  await page.goBack();
  await page.waitForURL(new RegExp(id));
  await page.getByTestId("welcome").waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "");
  await page.getByTestId("inspector-open").click();
  await page.getByText("does not know this thread").waitFor();
  assert.equal(await page.getByTestId("timeline-row").count(), 0);
  assert.doesNotMatch(await page.content(), /ann's secret wish|flight options|key:ann/);
});

test("a key that is withdrawn in the middle of a run: it goes on, and so does what was not sent, when the key is back", async (t) => {
  t.after(() => write(["ann", "ben", "eve"]));
  const page = await openAs(t, guarded, keys, "ann", { place: "#/t/desk" });
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await page.getByTestId("welcome").waitFor();
  await say(page, "Slowly");
  await page.getByText("One moment.").waitFor();
  const id = await threadOf(page);
  write(["ben"]);
  held.open();
  await question(page, "Which size?").waitFor(); // the stream is not cut
  await show(page); // which asks for the list of threads
  await again.waitFor();
  write(["ann", "ben", "eve"]);
  await signIn(page, keys.ann);
  await page.locator('[data-testid="thread"][data-here][data-status="interrupted"]').waitFor();

  write(["ben"]);
  await page.getByTestId("copilot-chat-textarea").fill("And a seat at the window");
  await pick(page, "M");
  await again.waitFor();
  await enter(page, keys.ann);
  await page.getByTestId("sign-in-problem").filter({ hasText: "is not accepted" }).waitFor();
  write(["ann", "ben", "eve"]);
  await page.getByTestId("sign-in-go").click(); // what was typed is still there
  await question(page, "Which shop?").waitFor(); // the answer has arrived, once
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "And a seat at the window");
  await pick(page, "Harbour");
  await page.getByText("Size M.").waitFor();
  await unasked(page);
  const { runs } = await agrees(page, withKey(guarded, keys.ann), id, "desk");
  assert.deepEqual(runs.map(({ status }) => status), ["success", "interrupt", "interrupt"]);
});

test("eve signs in where ann's key was withdrawn: she gets a page of her own", async (t) => {
  t.after(() => write(["ann", "ben", "eve"]));
  const page = await openAs(t, gateway, keys, "ann");
  await begin(page);
  write(["ben", "eve"]);
  await question(page, /flight/i).waitFor();
  await enter(page, keys.eve);
  await signedIn(page, "eve");
  await page.getByTestId("welcome").waitFor();
  assert.equal(await page.getByTestId("thread").count(), 0);
  assert.equal((await shown(page)).length, 0);
});

test("an agent that only ann may use is to ben's page like one that nobody serves", async (t) => {
  const agents = async (page) => {
    await page.getByTestId("welcome").waitFor();
    return page.getByTestId("agent-switch").locator("option").allInnerTexts();
  };
  const [ann, ben] = await Promise.all([openAs(t, guarded, keys, "ann", { place: "#/t/desk" }), openAs(t, guarded, keys, "ben", { place: "#/t/desk" })]);
  assert.deepEqual([await agents(ann), await agents(ben)], [["desk", "vault"], ["desk"]]);
  const says = async (name) => {
    await ben.goto(`${guarded.url}/#/t/${name}/${crypto.randomUUID()}`);
    await ben.getByTestId("no-agent").filter({ hasText: name }).waitFor();
    return (await ben.getByTestId("no-agent").innerText()).replace(name, "it");
  };
  assert.equal(await says("vault"), await says("nobody"));
});

test("a key is in no address, in nothing that lasts, and not in the log", async (t) => {
  const asked = [];
  const page = await openPlanner(t, gateway.url, { prepare: (page) => page.on("request", (request) => asked.push(request)) });
  page.allow(/\b401\b/);
  await signIn(page, keys.ann);
  await begin(page);
  await option(page, "KLM").waitFor();
  await page.getByTestId("inspector-open").click();
  await page.getByTestId("insp-tab-events").click();
  await page.getByTestId("timeline-row").first().waitFor();
  assert.doesNotMatch(await page.content(), new RegExp(keys.ann));
  const state = await page.context().storageState(); // cookies and localStorage
  assert.doesNotMatch(JSON.stringify(state) + gateway.log() + page.problems.join() + asked.map((r) => r.url() + r.postData()).join(), new RegExp(keys.ann));
  const signed = asked.filter((request) => request.headers().authorization === `Bearer ${keys.ann}`);
  const routes = new Set(signed.map((request) => new URL(request.url()).pathname.replaceAll(/[0-9a-f-]{36}/g, "ID")));
  const reached = ["/me", "/agents", "/threads", "/threads/ID/events", "/api/copilotkit/info", "/api/copilotkit/agent/travel/connect", "/api/copilotkit/agent/travel/run"];
  for (const route of reached) assert.ok(routes.has(route), `${route} of ${[...routes]}`);
});
