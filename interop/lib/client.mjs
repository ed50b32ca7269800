// The real clients, as an application uses them, with an ear on the wire.

import "./quiet.mjs";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as current from "@ag-ui/client";
import * as old from "agui-client-old";
import { from } from "rxjs";
import { Stream } from "./streams.mjs";

const libraries = { "1.0.0": current, "0.0.59": old };

// What a version adds to a query. 0.0.59 knows the events of subagents, but nobody can tell: it asks for them.
const asking = { "1.0.0": {}, "0.0.59": { subagents: "on" } };

/** The clients every scenario is run with. */
export const versions = ["1.0.0", "0.0.59"];

/** The body of a run request as the client of that version writes it. */
export const inputOf = (version, fields) => ({
  ...(version === "1.0.0" && { protocolVersion: "1.0" }),
  threadId: randomUUID(),
  runId: randomUUID(),
  messages: [],
  state: {},
  tools: [],
  context: [],
  forwardedProps: {},
  ...fields,
});

export const user = (content, id = randomUUID()) => ({ id, role: "user", content });

export const resolved = (interruptId, payload) => ({ interruptId, status: "resolved", payload });
export const cancelled = (interruptId) => ({ interruptId, status: "cancelled" });

/** Asks for JSON: {status, headers, body}. */
export async function ask(url, { method = "GET", body, ...init } = {}) {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(body !== undefined && { headers: { "Content-Type": "application/json" } }),
    ...init,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

/** GET /threads/{id}. */
export async function thread(gateway, id) {
  const { status, body, text } = await ask(`${gateway.url}/threads/${id}`);
  assert.equal(status, 200, text);
  return body;
}

/** Posts an input by hand and returns the stream, unchecked; for what no client would send. */
export async function post(gateway, version, input, { path = "/agents/travel", signal } = {}) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(input),
    signal,
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  return new Stream({ request: `POST ${path} ${JSON.stringify(input)}`, status: 200, text, version });
}

/**
 * Attaches to a thread and returns what comes, until it ends or `enough` is true of its text; unchecked, for a tail
 * alone is no stream.
 */
export async function attach(gateway, version, id, { cursor, follow = false, enough = () => false } = {}) {
  const query = new URLSearchParams({ ...asking[version], ...(version === "1.0.0" && { protocolVersion: "1.0" }), ...(follow && { follow: "1" }) });
  const hangUp = new AbortController();
  const response = await fetch(`${gateway.url}/threads/${id}/events?${query}`, {
    headers: { Accept: "text/event-stream", ...(cursor !== undefined && { "Last-Event-ID": cursor }) },
    signal: hangUp.signal,
  });
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (enough(text)) break;
  }
  hangUp.abort();
  return new Stream({ request: `GET events?${query} after ${cursor}`, status: response.status, text, version });
}

/**
 * A browser tab: one HttpAgent on one thread. Every run returns the checked Stream of what was on the wire, with what
 * the application was told beside it: {stream, seen, failed, interrupts}.
 */
export class Tab {
  constructor(gateway, version, { agent = "travel", path = `/agents/${agent}?${new URLSearchParams(asking[version])}`, threadId = randomUUID(), messages, state } = {}) {
    Object.assign(this, { gateway, version, path });
    this.client = new libraries[version].HttpAgent({
      url: gateway.url + path,
      threadId,
      initialMessages: messages,
      initialState: state,
      fetch: (url, init) => this.#fetch(url, init),
    });
  }

  get threadId() {
    return this.client.threadId;
  }
  get messages() {
    return this.client.messages;
  }
  get state() {
    return this.client.state;
  }
  /** The questions the client knows to be open. */
  get questions() {
    return this.client.pendingInterrupts;
  }

  /** The same thread in another tab, which has not seen the question and so does not guard it. */
  another() {
    return new Tab(this.gateway, this.version, {
      path: this.path,
      threadId: this.threadId,
      messages: this.messages,
      state: this.state,
    });
  }

  say(text, parameters) {
    this.client.addMessage(user(text));
    return this.run(parameters);
  }

  /** Answers every open question with the payload at its place. */
  answer(...payloads) {
    assert.equal(payloads.length, this.questions.length);
    return this.run({ resume: this.questions.map(({ id }, i) => resolved(id, payloads[i])) });
  }

  async run(parameters = {}) {
    const seen = [];
    let failed;
    await this.client.runAgent(parameters, {
      onEvent: ({ event }) => void seen.push(event.type),
      onRunFailed: ({ error }) => void (failed = error),
    });
    const { request, response } = this.#exchange;
    const stream = new Stream({ request, version: this.version, status: 200, text: await response }).check();
    assert.equal(failed, undefined, stream.text);
    assert.deepEqual(seen, stream.events.map(({ type }) => type), "the application is told every event");
    return stream;
  }

  /**
   * Waits until so many frames of the run have come that `enough` is true of their text, and returns that text: what
   * a reader had when something happened to it.
   */
  until(enough) {
    return new Promise((resolve, reject) => (this.#watch = { enough, resolve, reject }));
  }

  #exchange;
  #watch;

  async #fetch(url, init) {
    const response = await fetch(url, init);
    const [mine, theirs] = response.body.tee();
    this.#exchange = { request: `POST ${url} ${init.body}`, response: this.#read(mine) };
    return new Response(theirs, { status: response.status, headers: response.headers });
  }

  async #read(body) {
    let text = "";
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const whole = text.slice(0, text.lastIndexOf("\n\n") + 2);
      if (this.#watch?.enough(whole)) {
        this.#watch.resolve(whole);
        this.#watch = undefined;
      }
    }
    this.#watch?.reject(new Error(`the run ended before: ${text}`));
    return text;
  }

  /** Fails unless the client holds exactly what the server says the thread is; returns the thread. */
  async agrees() {
    const truth = await thread(this.gateway, this.threadId);
    assert.deepEqual(this.messages, truth.messages);
    assert.deepEqual(this.state, truth.state);
    return truth;
  }
}

/** A client of that version that held those messages and is told those events: what they add up to for it. */
export async function fold(version, events, { threadId, messages = [] }) {
  class Watcher extends libraries[version].AbstractAgent {
    run() {
      return from(structuredClone(events));
    }
  }
  const watcher = new Watcher({ threadId, initialMessages: messages });
  await watcher.runAgent();
  return watcher;
}
