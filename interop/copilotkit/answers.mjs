// Asks a row of the table, and says of the answer what a client could depend on: no ids, no times, no order of headers.

import { AbstractAgent, EventSchemas } from "agui-client-old";
import { randomUUID } from "node:crypto";
import { from } from "rxjs";
import { hello } from "./exchanges.mjs";

// These are said word for word; of other texts only that they are texts.
const literal = new Set(["error", "message", "code", "type", "mode", "role", "content", "retryable", "reason"]);

/** The agent of each situation that a thread can be in. */
const agents = { unknown: "short", finished: "short", failed: "failing", asked: "asking", answered: "asking", live: "long", again: "long" };

/**
 * Asks an exchange of a server, {url: {rest, single}}.
 *
 * Returns {status, headers, body or stream} of the answer, whether a thread that was unknown is listed afterwards, and
 * for a live thread what the run's own reader was told.
 */
export async function answerOf(server, { mode, thread: situation, request }) {
  const at = { thread: `t-${randomUUID()}`, run: randomUUID(), agent: agents[situation ?? "unknown"], history: [hello] };
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

  const names = { [at.thread]: "{thread}", [at.run]: "{run}", ...(at.ended && { [at.ended]: "{ended}" }) };
  const answer = { status: response.status, headers: headersOf(response, headers), ...(await contentOf(response, text, names, sent(body))) };
  if (live !== undefined) answer.run = await told(await live.whole, at.history);
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
  if (situation === "live" || situation === "again") await live.until("Working.");
  if (situation === "live") return live;
  if (situation === "again") await stop(base, at);
  const ended = async (text) => {
    const events = eventsOf(text);
    at.history = (await hold(events, at.history)).messages;
    at.run = randomUUID();
    return events.at(-1);
  };
  at.ended = at.run;
  at.interrupt = (await ended(await live.whole)).outcome?.interrupts?.[0].id;
  if (situation === "again") {
    at.history.push({ id: "u2", role: "user", content: "More?" });
    const again = read(await run({ messages: at.history }));
    await again.until("Working.");
    return again;
  }
  if (situation === "answered") {
    const resume = [{ interruptId: at.interrupt, status: "resolved", payload: { value: "M" } }];
    await ended(await read(await run({ messages: at.history, resume })).whole);
  }
  return undefined;
}

// What the request left running ends here, after whoever reads it too has seen it run.
async function stopped(base, at, live, reading) {
  if (reading.isStream) await reading.until("Working.");
  await stop(base, at);
  await live.whole;
}

const stop = (base, { agent, thread }) => fetch(`${base}/agent/${agent}/stop/${thread}`, { method: "POST" });

async function isListed(base, at) {
  const { threads } = await (await fetch(`${base}/threads`)).json();
  return threads.some(({ id }) => id === at.thread);
}

// Reads a response: whole is all of it, until(word) settles when the word has come, or the end.
function read(response) {
  let text = "";
  let ended = false;
  const waiting = new Set();
  const wake = () => waiting.forEach((look) => look());
  const whole = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      wake();
    }
    ended = true;
    wake();
    return text;
  })();
  const until = (word) =>
    new Promise((resolve) => {
      const look = () => {
        if (!ended && !text.includes(word)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
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
    if (key === "capabilities") return "(capabilities)"; // the agent's own affair
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
    // Success says no more than no outcome.
    ends: [type, code, outcome?.type].filter((word) => word && word !== "success").join(" "),
    messages: messages.map(inWords),
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
  return { messages: reader.messages, state: reader.state, error };
}

const inWords = ({ role, content, toolCalls }) =>
  [`${role}:`, content, ...(toolCalls ?? []).map(({ function: call }) => `${call.name}(${call.arguments})`)].filter(Boolean).join(" ");
