// CopilotKit's bare page straight at the gateway, when it is not alone or not there from the beginning.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agrees, busy, choose, idle, say, settled, shown, shows, stop, thread } from "./lib/chat.mjs";
import { servePages, startGateway } from "./lib/servers.mjs";
import { gate, says, startTeller } from "./lib/teller.mjs";
import { judgeFrames } from "../copilotkit/frames.mjs";
import { until } from "../lib/until.mjs";

const pages = await servePages();
const gateway = await startGateway();
// This one speaks so slowly that a test always stops it before its end.
const slow = await startGateway({ args: ["-voice-delay", "300ms"] });

const open = (t, id, { at = gateway, ...options } = {}) =>
  openPage(t, `${pages}/?${new URLSearchParams({ way: "runtime", url: `${at.url}/api/copilotkit`, thread: id })}`, options);

const long = "Tell me everything about San Francisco";

// This one stops in the middle of a message until the test opens the gate.
const middle = gate();
const [begins, content, ends] = says("It has a bridge ");
const paused = await startGateway({
  team: `
version: 1
agents:
  travel: { type: agui, url: "${await startTeller({ [long]: [begins, content, middle.wait, { ...content, delta: "and a bay." }, ends, ...says("That is all there is.")] })}" }
`,
});
const spoken = (page) => page.getByTestId("copilot-assistant-message").getByText(/\w+ \w+ \w+/).first().waitFor();

test("a tab that answers too late is shown how things stand", async (t) => {
  const id = randomUUID();
  const first = await open(t, id);
  await say(first, "Plan my trip");
  await first.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  const second = await open(t, id, { context: first.context() });
  await second.getByRole("button", { name: "United" }).waitFor();

  await choose(first, "KLM");
  await first.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
  await choose(second, "United");
  await second.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
  await shows(second, "Flight: KLM");
  await agrees(second, gateway, id);
  await second.reload();
  await second.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();

  await choose(second, "Hotel Zoe");
  await shows(second, "Step: complete");
  await choose(first, "The Ritz-Carlton");
  await shows(first, "Hotel: Hotel Zoe");
  assert.equal((await agrees(first, gateway, id)).status, "idle");
  await agrees(second, gateway, id);
  for (const page of [first, second]) await judgeFrames(page, { least: 3 });
});

test("the same answer from two tabs at once books once", async (t) => {
  const id = randomUUID();
  const first = await open(t, id);
  await say(first, "Plan my trip");
  await first.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  const second = await open(t, id, { context: first.context() });
  await second.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  await Promise.all([choose(first, "KLM"), choose(second, "KLM")]);
  for (const page of [first, second]) {
    await page.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
    const { messages } = await agrees(page, gateway, id);
    assert.equal(messages.filter(({ content }) => /I'll book/.test(content)).length, 1);
    await judgeFrames(page, { least: 2 });
  }
});

test("a reload in the middle of a run joins it, and the tab can stop what it did not start", async (t) => {
  const id = randomUUID();
  const page = await open(t, id, { at: slow });
  await say(page, long);
  await spoken(page);
  await page.reload();
  await busy(page);
  await spoken(page);
  const watcher = await open(t, id, { at: slow, context: page.context() });
  await busy(watcher);
  await spoken(watcher);
  await stop(watcher);
  await idle(watcher);
  await idle(page);
  const { runs } = await settled(slow, id);
  assert.deepEqual(runs.map(({ status }) => status), ["cancelled"]);
  await agrees(page, slow, id);
  await agrees(watcher, slow, id);
  await page.reload();
  await spoken(page);
  await agrees(page, slow, id);
  for (const each of [page, watcher]) await judgeFrames(each, { least: 1 });
});

test("a run that is watched from its middle to its end is whole", async (t) => {
  const id = randomUUID();
  const page = await open(t, id, { at: paused });
  await say(page, long);
  await spoken(page);
  const watcher = await open(t, id, { at: paused, context: page.context() });
  await busy(watcher);
  await spoken(watcher);
  middle.open();
  await settled(paused, id);
  for (const each of [page, watcher]) {
    await shows(each, "It has a bridge and a bay.");
    const { messages } = await agrees(each, paused, id);
    assert.equal(messages.length, 3);
    await judgeFrames(each);
  }
});

test("never mind ends the questions", async (t) => {
  const id = randomUUID();
  const page = await open(t, id);
  await say(page, "Plan my trip");
  await choose(page, "Never mind");
  await page.getByRole("button", { name: "Never mind" }).waitFor({ state: "detached" });
  assert.equal((await settled(gateway, id)).status, "idle");
  await agrees(page, gateway, id);
  await page.reload();
  await spoken(page);
  await agrees(page, gateway, id);
  assert.equal(await page.getByRole("button", { name: "KLM" }).count(), 0);
  await judgeFrames(page, { least: 2 });
});

test("a thread that nobody began is an empty page, and no thread", async (t) => {
  const id = randomUUID();
  const page = await open(t, id);
  await page.locator('[data-testid="copilot-chat-textarea"]').waitFor();
  await until("the answer to connect", () => page.streams.some(({ url, ended }) => url.endsWith("/connect") && ended));
  await idle(page);
  assert.deepEqual(await shown(page), []);
  await assert.rejects(thread(gateway, id), /not_found/);
});
