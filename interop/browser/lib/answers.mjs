// Asks a row of the table, and says of the answer what a client could depend on: no ids, no times, no order of headers.

import { AbstractAgent, EventSchemas } from "@ag-ui/client";
import { randomUUID } from "node:crypto";
import { from } from "rxjs";
import { hello } from "./exchanges.mjs";

// These are said word for word; of other texts only that they are texts.
const literal = new Set(["error", "message", "code", "type", "mode", "role", "content", "retryable", "reason"]);

/** The agent of each situation that a thread can be in. */
const agents = { unknown: "short", finished: "short", failed: "failing", asked: "asking", answered: "asking", live: "long" };

/**
 * Asks an exchange of a server, {url: {rest, single}}.
 *
 * Returns {status, headers, body or stream} of the answer, whether a thread that was unknown is listed afterwards, and
 * for a live thread what the run's own reader was told.
 */
export async function answerOf(server, { mode, thread: situation, request }) {
  const at = { thread: `t-${randomUUID()}`, run: randomUUID(), agent: agents[situation ?? "unknown"] };
  const live = await prepare(server.url.rest, situation, at);

  const { method, path, headers = {}, body } = request(at);
  const response = await fetch(server.url[mode] + path, {
    method,
    headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
  const reading = read(response);
  if (live !== undefined) await stopped(server.url.rest, at, live, reading);
  const text = await reading.whole;

  const names = { [at.thread]: "{thread}", [at.run]: "{run}" };
  const answer = { status: response.status, headers: headersOf(response, headers), ...(await contentOf(response, text, names, sent(body))) };
  if (live !== undefined) answer.run = await told(await live.whole, [hello]);
  if (situation === "unknown" && method === "POST") answer.listed = await isListed(server.url.rest, at);
  return answer;
}

async function prepare(base, situation, at) {
  if (situation === undefined || situation === "unknown") return undefined;
  const run = (fields) =>
    fetch(`${base}/agent/${at.agent}/run`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify({
        threadId: at.thread,
        runId: at.run,
        messages: [hello],
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
        ...fields,
      }),
    });
  const live = read(await run());
  if (situation === "live") {
    await live.until("Working.");
    return live;
  }
  at.interrupt = eventsOf(await live.whole).at(-1)?.outcome?.interrupts?.[0].id;
  at.run = randomUUID();
  if (situation === "answered") {
    await read(await run({ resume: [{ interruptId: at.interrupt, status: "resolved", payload: { value: "M" } }] })).whole;
    at.run = randomUUID();
  }
  return undefined;
}

// What the request left running ends here, after whoever reads it too has seen it run.
async function stopped(base, at, live, reading) {
  if (reading.isStream) await reading.until("Working.");
  await fetch(`${base}/agent/${at.agent}/stop/${at.thread}`, { method: "POST" });
  await live.whole;
}

async function isListed(base, at) {
  const { threads } = await (await fetch(`${base}/threads`)).json();
  return threads.some(({ id }) => id === at.thread);
}

// Reads a response: whole is all of it, until(text) settles when text has come, or the end.
function read(response) {
  let text = "";
  let waiting = [];
  const settle = (ended) => {
    waiting = waiting.filter(({ word, resolve }) => !((ended || text.includes(word)) && (resolve(), true)));
  };
  const whole = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      settle(false);
    }
    settle(true);
    waiting = undefined;
    return text;
  })();
  const until = (word) =>
    new Promise((resolve) => (waiting === undefined || text.includes(word) ? resolve() : waiting.push({ word, resolve })));
  return { whole, until, isStream: isStream(response) };
}

const isStream = (response) => response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;

// Who asks from nowhere need not be told who may ask.
const headersOf = (response, { Origin }) => {
  const watched = Origin === undefined ? /^(allow|content-type)$/ : /^(allow|content-type|access-control-.*)$/;
  return Object.fromEntries([...response.headers].filter(([name]) => watched.test(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
};

// The messages that whoever sent the body holds already.
const sent = (body) => body?.messages ?? body?.body?.messages ?? [];

async function contentOf(response, text, names, messages) {
  if (isStream(response)) return { stream: await told(text, messages) };
  if (text === "") return {};
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return { text };
  }
  if (Array.isArray(value?.events)) return { body: { events: await toldBy(value.events, []) } };
  return { body: shape(value, names) };
}

function shape(value, names, key) {
  if (Array.isArray(value)) {
    const shapes = value.map((item) => shape(item, names));
    return key === "messages" ? shapes : [...new Map(shapes.map((item) => [JSON.stringify(item), item])).values()];
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(members.map(([name, member]) => [name, shape(member, names, name)]));
  }
  if (typeof value === "string") {
    if (!literal.has(key)) return "(text)";
    return Object.entries(names).reduce((text, [id, name]) => text.replaceAll(id, name), value);
  }
  return typeof value === "number" ? "(number)" : value;
}

const eventsOf = (text) =>
  text
    .split("\n\n")
    .flatMap((frame) => frame.split("\n").filter((line) => line.startsWith("data:")))
    .map((line) => JSON.parse(line.slice(5)));

const told = (text, messages) => toldBy(eventsOf(text), messages);

// What a stream tells a client: how it begins and ends, and what the client then holds. The events between are the
// agent's own affair.
async function toldBy(events, before) {
  if (events.length === 0) return "nothing";
  const refused = events.filter((event) => !EventSchemas.safeParse(event).success).map(({ type }) => type);
  const { messages, state, error } = await hold(events, before);
  const { type, code, outcome } = events.at(-1);
  return {
    begins: events[0].type,
    ends: [type, code, outcome?.type].filter(Boolean).join(" "),
    messages,
    state,
    ...(refused.length > 0 && { refused }),
    ...(error && { error }),
  };
}

class Reader extends AbstractAgent {
  constructor(events, initialMessages) {
    super({ initialMessages });
    this.events = events;
  }
  run() {
    return from(this.events);
  }
}

async function hold(events, before) {
  const reader = new Reader(structuredClone(events), structuredClone(before));
  let error;
  try {
    await reader.runAgent({}, { onRunFailed: (failure) => void (error = failure.error.message) });
  } catch (thrown) {
    error ??= thrown.message;
  }
  return { messages: reader.messages.map(inWords), state: reader.state, error };
}

const inWords = ({ role, content, toolCalls }) =>
  [`${role}:`, content, ...(toolCalls ?? []).map(({ function: call }) => `${call.name}(${call.arguments})`)].filter(Boolean).join(" ");
