// An HttpAgent that comes back: after a cut connection, and after a reload. For @ag-ui/client 1.0.0 and 0.0.59.

import { HttpAgent } from "@ag-ui/client";

// Milliseconds before each new try. What arrives starts them over; when they are used up, the run fails.
const BACKOFF = [100, 200, 400, 800, 1600, 3200, 5000, 5000];

export class GatewayAgent extends HttpAgent {
  constructor({ backoff = BACKOFF, ...config }) {
    super(config);
    this.backoff = backoff;
  }

  clone() {
    return Object.assign(super.clone(), { backoff: this.backoff });
  }

  runAgent(parameters, subscriber) {
    return untilTold(this, subscriber, () => super.runAgent(parameters, subscriber));
  }

  connectAgent(parameters, subscriber) {
    if (this.abortController.signal.aborted) this.abortController = new AbortController();
    return untilTold(this, subscriber, () => {
      // The client begins nothing that leaves questions unanswered. Reading answers none, so it does not see them
      // while it checks, which it does before this call returns.
      const questions = this.pendingInterrupts;
      this.pendingInterrupts = [];
      const told = super.connectAgent(parameters, subscriber);
      this.pendingInterrupts = questions;
      return told;
    });
  }

  async stop() {
    const response = await ask(this, this.threadId, "stop", {}, { method: "POST", headers: this.headers });
    return (await response.json()).stopped;
  }

  // What runAgent() and connectAgent() read; both are the client's hooks.
  run(input) {
    return read(this, input, (url, init) => this.fetch(url, init).then(ok));
  }
  connect(input) {
    return read(this, input, () => attach(this, input));
  }
}

// Waits for a stream. If it had to be given up because the gateway tells everything anew, a new one is told that.
async function untilTold(agent, subscriber, stream) {
  const known = new Set(agent.messages.map(({ id }) => id));
  agent.anew = false;
  const told = await stream().catch((error) => {
    if (!agent.anew) throw error;
  });
  if (!agent.anew) return told;
  const again = await agent.connectAgent(undefined, subscriber);
  return { ...again, newMessages: agent.messages.filter(({ id }) => !known.has(id)) };
}

// What HttpAgent makes of a response; only that this response goes on over cuts.
function read(agent, input, first) {
  const fetch = async (url, init) => {
    const frames = follow(agent, input, () => first(url, init));
    const read = () => frames.next().then(({ done, value }) => ({ done, value: value && new TextEncoder().encode(value) }));
    // No ReadableStream: HttpAgent leaves a failed one by a cancel() whose rejection nobody would catch.
    const body = { getReader: () => ({ read, cancel: () => frames.return() }) };
    return { ok: true, status: 200, headers: new Headers({ "Content-Type": "text/event-stream" }), body };
  };
  return HttpAgent.prototype.run.call(Object.create(agent, { fetch: { value: fetch } }), input);
}

// The frames of a run up to its terminal event, over as many connections as it takes.
async function* follow(agent, input, first) {
  const { signal } = agent.abortController;
  let cursor; // the id of the last frame that was passed on: none is passed on twice
  for (let tries = 0; ; tries++) {
    let later = 0; // milliseconds that the gateway wants to be left alone
    try {
      // Without a cursor the request itself is sent again: the gateway knows it, and runs nothing twice.
      const response = await (cursor ? attach(agent, input, cursor) : first());
      let held = ""; // a frame without an id belongs to the next one with an id, and is no place to come back to
      for await (const { frame, id, event } of frames(response)) {
        // The gateway does not know our cursor any more. A second start within a stream is an error: end this one.
        if (cursor && event.type === "RUN_STARTED") return void (agent.anew = true);
        const over = event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
        // Without an id it is this connection that ended, and not the run.
        if (over && !id && /^(draining|store_unavailable)$/.test(event.code)) break;
        held += frame;
        if (!id && !over) continue;
        [cursor, tries] = [id ?? cursor, 0];
        yield held;
        if (over) return;
        held = "";
      }
      if (response.status === 204) return void (agent.anew = true); // nothing more, yet we lack the run's end
      throw new Error("the connection was closed before the end of the run");
    } catch (error) {
      const final = error.status && ![429, 502, 503, 504].includes(error.status);
      if (signal.aborted || final || tries >= agent.backoff.length) throw error;
      later = error.retryAfter ?? 0;
    }
    await new Promise((resolve) => {
      const wait = Math.max(later, agent.backoff[tries] * (0.5 + Math.random() / 2)); // not all readers at the same moment
      const timer = setTimeout(resolve, wait);
      signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
    });
  }
}

// The whole frames of a response, without comments.
async function* frames({ body }) {
  if (!body) return;
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  try {
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (data) yield { frame: `${part}\n\n`, id: /^id: (.*)$/m.exec(part)?.[1], event: JSON.parse(data) };
      }
    }
  } finally {
    drain(reader).catch(() => {});
  }
}

// Reads what is left of a response. The gateway ends it by itself, and a connection that is read to its end is used again.
async function drain(reader) {
  while (!(await reader.read()).done);
}

// Becomes a reader of the thread: behind the cursor, or without one told first how things stand.
function attach(agent, input, cursor) {
  const era = input.protocolVersion && { protocolVersion: input.protocolVersion }; // clients before 1.0 have none
  const headers = { ...agent.headers, Accept: "text/event-stream", ...(cursor && { "Last-Event-ID": cursor }) };
  return ask(agent, input.threadId, "events", era, { headers, signal: agent.abortController.signal });
}

// Asks a route of the thread's, found beside the agent's: …/agents/travel → …/threads/{id}/events?agent=travel
async function ask(agent, threadId, route, query, init) {
  const [, base, name, own] = /^(.*)\/agents\/([^/?]+)(?:\?(.*))?$/.exec(agent.url) ?? [];
  if (!name) throw new TypeError(`not the URL of an agent: ${agent.url}`);
  const dialect = Object.fromEntries(new URLSearchParams(own)); // ?interrupts= and ?subagents= count on every route
  const search = new URLSearchParams({ ...dialect, ...query, agent: decodeURIComponent(name) });
  return ok(await agent.fetch(`${base}/threads/${encodeURIComponent(threadId)}/${route}?${search}`, init));
}

// Throws what HttpAgent throws for a refusal.
async function ok(response) {
  if (response.ok) return response;
  const retryAfter = 1000 * Math.min(30, Number(response.headers.get("Retry-After")) || 0);
  throw Object.assign(new Error(`HTTP ${response.status}: ${await response.text()}`), { status: response.status, retryAfter });
}
