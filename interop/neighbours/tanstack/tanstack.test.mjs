// TanStack's chat client, in Node.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { clientTools, ChatClient } from "@tanstack/ai-client";
import { toolDefinition } from "@tanstack/ai/client";
import { until } from "../../lib/until.mjs";
import { startDesk, talk, whereAmI } from "../lib/desk.mjs";
import { runSnippet } from "../lib/snippet.mjs";
import { clientRow } from "../lib/table.mjs";
import { connectionTo } from "./connection.mjs";

const desk = await startDesk();
const row = clientRow("@tanstack/ai-client 0.33");
const where = toolDefinition({ name: whereAmI.name, description: whereAmI.description, inputSchema: whereAmI.parameters }).client();

function open(t, { threadId = randomUUID(), trouble = [] } = {}) {
  const chunks = [];
  const errors = [];
  const chat = new ChatClient({
    connection: connectionTo(desk.gateway.url, "desk", threadId),
    persistence: true,
    threadId,
    tools: clientTools(where),
    onChunk: (chunk) => void chunks.push(chunk),
    onError: (error) => void errors.push(error),
  });
  t.after(() => {
    chat.dispose();
    assert.deepEqual(errors.map(({ message }) => message), trouble);
  });
  chat.attach(); // as useChat does
  return Object.assign(chat, { threadId, chunks });
}

const texts = ({ parts }) => parts.filter(({ type }) => type === "text").map(({ content }) => content);
const said = (chat) => chat.getMessages().filter(({ role }) => role === "assistant").flatMap(texts);
const parts = (chat, wanted) => chat.getMessages().flatMap(({ parts }) => parts.filter(({ type }) => type === wanted));

test("text", async (t) => {
  const chat = open(t);
  await chat.sendMessage(talk.hello.ask);
  assert.deepEqual(said(chat), talk.hello.says);
  const { messages } = await desk.thread(chat.threadId);
  assert.deepEqual(chat.getMessages().map(({ id }) => id), messages.map(({ id }) => id));
  row.shows("text", "yes");
});

test("tools", async (t) => {
  const chat = open(t);
  await chat.sendMessage(talk.price.ask);
  assert.deepEqual(parts(chat, "tool-call").map(({ name, input, output }) => [name, input, output]), [["price_of", { thing: "shirt" }, talk.price.result]]);
  assert.deepEqual(said(chat), talk.price.says);
  row.shows("tools", "yes");
});

test("page's tools", async (t) => {
  const chat = open(t);
  await chat.sendMessage(talk.where.ask);
  const [{ id, name, input }] = parts(chat, "tool-call");
  assert.deepEqual([name, input], [whereAmI.name, { precise: true }]);
  await chat.addToolResult({ toolCallId: id, tool: name, output: "Paris" });
  assert.deepEqual(said(chat), talk.where.says);
  row.shows("page's tools", "by `addToolResult`");
});

test("state", async (t) => {
  const chat = open(t);
  await chat.sendMessage(talk.hello.ask);
  const snapshots = chat.chunks.filter(({ type }) => type === "STATE_SNAPSHOT").map(({ snapshot }) => snapshot);
  assert.deepEqual(snapshots.at(-1), { shop: "Harbour" });
  row.shows("state", "read, by `onChunk`");
});

test("question", async (t) => {
  const chat = open(t);
  await chat.sendMessage(talk.order.ask);
  const [{ interruptId, message, canResolve }] = chat.getInterrupts();
  assert.deepEqual([message, canResolve], [talk.order.asks, false]);
  await chat.resumeInterruptsUnsafe([{ interruptId, status: "resolved", payload: { value: "M" } }]);
  assert.deepEqual(said(chat), talk.order.says);
  assert.deepEqual((await desk.thread(chat.threadId)).state.order, { size: "M" });
  row.shows("question", "by `resumeInterruptsUnsafe`");
});

test("stop", async (t) => {
  const chat = open(t);
  const told = chat.sendMessage(talk.story.ask);
  await until("the story", () => said(chat).includes(talk.story.begins));
  chat.stop();
  await told;
  const { status, runs } = await desk.ended(chat.threadId);
  assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);
  row.shows("stop", "yes");
});

test("reload", async (t) => {
  const trouble = ["The run was stopped."]; // RUN_ERROR: this client states no version of the protocol
  const first = open(t, { trouble });
  await first.sendMessage(talk.hello.ask);
  const told = first.sendMessage(talk.story.ask);
  await until("the story", () => said(first).includes(talk.story.begins));
  const second = open(t, { threadId: first.threadId, trouble });
  await until("the run that goes on", () => said(second).length === 3 && second.getStatus() === "streaming");
  assert.deepEqual(said(second), [...talk.hello.says, talk.story.begins]);
  await fetch(`${desk.gateway.url}/threads/${first.threadId}/stop`, { method: "POST" });
  await told;
  await until("the end", () => second.getStatus() === "error");

  const third = open(t);
  await third.sendMessage(talk.order.ask);
  const fourth = open(t, { threadId: third.threadId });
  await until("the question", () => fourth.getInterrupts().length > 0);
  assert.equal(fourth.getInterrupts()[0].message, talk.order.asks);
  row.shows("reload", "by [connection.mjs](../interop/neighbours/tanstack/connection.mjs)");
});

test("subagents", async (t) => {
  const chat = open(t);
  await chat.sendMessage(talk.hello.ask);
  assert.ok(chat.chunks.some(({ type, stepName }) => type === "STEP_STARTED" && stepName === "greeter"));
  row.shows("subagents", "no");
});

test("the program in docs/clients.md answers a question", async () => {
  assert.equal(await runSnippet("tanstack", desk.gateway, import.meta.url), `${talk.order.asks} ${talk.order.says}\n`);
});
