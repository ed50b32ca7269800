// The client of the community Go SDK, in a program that is built here.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startDesk, talk, whereAmI } from "../lib/desk.mjs";
import { clientRow } from "../lib/table.mjs";

const folder = mkdtempSync(join(tmpdir(), "agui-gosdk-"));
after(() => rmSync(folder, { recursive: true }));
const program = join(folder, "gosdk");
execFileSync("go", ["build", "-o", program, "."], { cwd: fileURLToPath(new URL(".", import.meta.url)) });

const desk = await startDesk();
const row = clientRow("community Go SDK");

/** Starts the program on a thread: {run(fields, enough), kill()}. run returns the events of a run, all or until enough is true of one. */
function open(t, { threadId = randomUUID(), query = "" } = {}) {
  const child = spawn(program, [desk.url + query]);
  const exited = once(child, "exit");
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (complaint += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  t.after(async () => {
    child.kill();
    await exited;
  });
  return {
    threadId,
    async run(fields, enough = () => false) {
      const input = { threadId, runId: randomUUID(), state: {}, messages: [], tools: [], context: [], forwardedProps: {}, ...fields };
      child.stdin.write(`${JSON.stringify(input)}\n`);
      const events = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) await exited;
        assert.ok(!done, `the client ended: ${complaint}`);
        if (value === "") return events;
        events.push(JSON.parse(value));
        if (enough(events.at(-1))) return events;
      }
    },
    kill: () => child.kill(),
  };
}

const user = ({ ask }) => ({ id: randomUUID(), role: "user", content: ask });
const ofType = (events, wanted) => events.filter(({ type }) => type === wanted);
const said = (events) => ofType(events, "TEXT_MESSAGE_START").map(({ messageId }) =>
  ofType(events, "TEXT_MESSAGE_CONTENT").filter((event) => event.messageId === messageId).map(({ delta }) => delta).join(""));
const shown = (events) => ofType(events, "MESSAGES_SNAPSHOT").at(-1).messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content);

test("text", async (t) => {
  const client = open(t);
  const events = await client.run({ messages: [user(talk.hello)] });
  assert.deepEqual(said(events), talk.hello.says);
  assert.deepEqual(shown(events), talk.hello.says);
  row.shows("text", "yes");
});

test("tools", async (t) => {
  const client = open(t);
  const events = await client.run({ messages: [user(talk.price)] });
  assert.deepEqual(ofType(events, "TOOL_CALL_RESULT").map(({ content }) => JSON.parse(content)), [talk.price.result]);
  assert.deepEqual(said(events), talk.price.says);
  row.shows("tools", "yes");
});

test("page's tools", async (t) => {
  const client = open(t);
  const first = user(talk.where);
  const called = await client.run({ messages: [first], tools: [whereAmI] });
  const [{ toolCallId, toolCallName }] = ofType(called, "TOOL_CALL_START");
  assert.equal(toolCallName, whereAmI.name);
  const result = { id: randomUUID(), role: "tool", toolCallId, content: "Paris" };
  const events = await client.run({ messages: [first, result], tools: [whereAmI] });
  assert.deepEqual(said(events), talk.where.says);
  row.shows("page's tools", "yes");
});

test("state", async (t) => {
  const client = open(t);
  await client.run({ messages: [user(talk.hello)] });
  const state = { shop: "Harbour", address: "Quay 1" };
  const events = await client.run({ messages: [user(talk.hello)], state });
  assert.deepEqual(ofType(events, "STATE_SNAPSHOT").at(-1).snapshot, state);
  row.shows("state", "yes");
});

test("question", async (t) => {
  const client = open(t);
  const asked = await client.run({ messages: [user(talk.order)] });
  const [{ id, message }] = asked.at(-1).outcome.interrupts;
  assert.equal(message, talk.order.asks);
  const events = await client.run({ resume: [{ interruptId: id, status: "resolved", payload: { value: "M" } }] });
  assert.deepEqual(said(events), talk.order.says);
  assert.deepEqual((await desk.thread(client.threadId)).state.order, { size: "M" });
  row.shows("question", "yes");
});

test("stop", async (t) => {
  const client = open(t);
  await client.run({ messages: [user(talk.story)] }, ({ snapshot }) => snapshot?.begun);
  client.kill();
  const { status, runs } = await desk.ended(client.threadId);
  assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);
  row.shows("stop", "yes");
});

test("reload", async (t) => {
  const first = open(t);
  await first.run({ messages: [user(talk.hello)] });
  await first.run({ messages: [user(talk.story)] }, ({ snapshot }) => snapshot?.begun);
  const second = open(t, first);
  const joined = await second.run({}, ({ type }) => type === "STEP_STARTED");
  assert.deepEqual([...shown(joined), ...said(joined)], [...talk.hello.says, talk.story.begins]);

  const third = open(t);
  await third.run({ messages: [user(talk.order)] });
  const asked = await open(t, third).run({});
  assert.equal(asked.at(-1).outcome.interrupts[0].message, talk.order.asks);
  row.shows("reload", "yes");
});

test("subagents", async (t) => {
  const client = open(t, { query: "?subagents=on" });
  await assert.rejects(client.run({ messages: [user(talk.hello)] }), /the client ended: .*unknown event type: SUBAGENT_STARTED/);
  row.shows("subagents", "no");
});
