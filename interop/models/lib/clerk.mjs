// A small AG-UI 1.0 server on @ag-ui/core and @ag-ui/encoder: a hotel's clerk, who keeps threads, streams, asks which room
// and goes on with the answer. What it is told decides what it does: to show a map in the browser, or to fail.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";
import { EventType, PROTOCOL_VERSION } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";

const rooms = ["north", "south"];

/**
 * Starts a clerk until the test file is over.
 *
 * Returns {url, requests, open(), lose(), find()}: requests are the inputs so far; open is how many runs are going on; lose
 * makes it forget every thread, find brings them back.
 */
export async function startClerk() {
  const requests = [];
  const running = new Set();
  let threads = new Map();
  let lost = new Map();
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const piece of incoming.setEncoding("utf8")) body += piece;
    const { success, data: input } = RunAgentInputSchema.safeParse(JSON.parse(body));
    if (incoming.method !== "POST" || incoming.url !== "/agent" || !success) return void outgoing.writeHead(400).end("{}");
    requests.push(input);
    const encoder = new EventEncoder({ accept: incoming.headers.accept });
    outgoing.writeHead(200, { "Content-Type": encoder.getContentType() });
    running.add(outgoing);
    outgoing.on("close", () => running.delete(outgoing));
    const thread = threads.get(input.threadId) ?? { state: input.state ?? {}, messages: [] };
    threads.set(input.threadId, thread);
    new Clerk(input, thread, (event) => void outgoing.write(encoder.encodeSSE(event)), outgoing).work();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/agent`,
    requests,
    open: () => running.size,
    lose: () => ([lost, threads] = [threads, new Map()]),
    find: () => (threads = lost),
  };
}

class Clerk {
  constructor(input, thread, emit, outgoing) {
    Object.assign(this, { input, thread, emit, outgoing });
  }

  work() {
    const { threadId, runId, resume = [] } = this.input;
    this.emit({ type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION });
    this.emit({ type: EventType.STATE_SNAPSHOT, snapshot: this.thread.state });
    if (resume.length > 0) return this.goOn(resume);
    const last = this.input.messages.at(-1);
    const words = typeof last?.content === "string" ? last.content : "";
    if (last?.role === "tool") return this.finish(`I see: ${words}.`);
    if (/\bmap\b/.test(words)) return this.callBrowser();
    if (/\bslowly\b/.test(words)) return this.begin("I take my time");
    if (/\bcut\b/.test(words)) return this.begin("I was about to"), this.outgoing.end();
    if (/\bnonsense\b/.test(words)) {
      this.emit({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: "nobody-opened-this", delta: "?" });
      return this.end();
    }
    this.ask();
  }

  ask() {
    this.emit({ type: EventType.STEP_STARTED, stepName: "looking" });
    this.say("I look for a room.");
    this.change("/visits", (this.thread.state.visits ?? 0) + 1);
    this.emit({ type: EventType.STEP_FINISHED, stepName: "looking" });
    const question = {
      id: randomUUID(),
      reason: "input_required",
      message: "Which room?",
      responseSchema: { type: "object", required: ["value"], properties: { value: { enum: rooms } } },
      expiresAt: new Date(Date.now() + 3600_000).toISOString(),
      metadata: { value: { message: "Which room?", options: rooms, agent: "clerk" } },
    };
    this.thread.question = question.id;
    this.snapshots();
    this.end({ type: "interrupt", interrupts: [question] });
  }

  goOn(resume) {
    const entry = resume.find(({ interruptId }) => interruptId === this.thread.question);
    if (entry === undefined) {
      this.emit({ type: EventType.RUN_ERROR, message: "Nobody asked that.", code: "interrupt_not_found" });
      return void this.outgoing.end();
    }
    delete this.thread.question;
    if (entry.status === "cancelled") return this.finish("No room, then.");
    this.change("/room", entry.payload.value);
    this.finish(`The ${entry.payload.value} room is yours.`);
  }

  callBrowser() {
    const toolCallId = randomUUID();
    this.emit({ type: EventType.TOOL_CALL_START, toolCallId, toolCallName: "show_map" });
    for (const delta of ['{"city":', '"Paris"}']) this.emit({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta });
    this.emit({ type: EventType.TOOL_CALL_END, toolCallId });
    this.end({ type: "success", pendingToolCallIds: [toolCallId] });
  }

  /** Says something in pieces, each a word, and does not end it. */
  begin(words) {
    const messageId = randomUUID();
    this.emit({ type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant" });
    for (const delta of words.split(/(?<= )/)) this.emit({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta });
    return messageId;
  }

  say(content) {
    const messageId = this.begin(content);
    this.emit({ type: EventType.TEXT_MESSAGE_END, messageId });
    this.thread.messages.push({ id: messageId, role: "assistant", content });
  }

  change(path, value) {
    this.thread.state[path.slice(1)] = value;
    this.emit({ type: EventType.STATE_DELTA, delta: [{ op: "add", path, value }] });
  }

  snapshots() {
    const known = new Set(this.input.messages.map(({ id }) => id));
    this.emit({ type: EventType.STATE_SNAPSHOT, snapshot: this.thread.state });
    this.emit({
      type: EventType.MESSAGES_SNAPSHOT,
      messages: [...this.input.messages, ...this.thread.messages.filter(({ id }) => !known.has(id))],
    });
  }

  finish(words) {
    this.say(words);
    this.end({ type: "success" });
  }

  end(outcome) {
    const { threadId, runId } = this.input;
    this.emit({ type: EventType.RUN_FINISHED, threadId, runId, ...(outcome && { outcome }) });
    this.outgoing.end();
  }
}
