// The event streams that a page was sent, byte for byte, and the judgement of the client that reads them there.
//
// CopilotKit 1.74 turns an event its schema refuses into a quiet end of the stream: nothing on the page says so.

import { AbstractAgent, EventSchemas } from "@ag-ui/client";
import assert from "node:assert/strict";
import { from } from "rxjs";

/**
 * Listens to a page from before its first script. Returns the list of its streams, which grows: {url, body, text, ended},
 * where body is what was posted and ended is set when all of it has come.
 */
export async function listen(page) {
  const streams = [];
  const byId = new Map();
  await page.exposeBinding("reportStream", (_, { id, url, body, piece, ended }) => {
    let stream = byId.get(id);
    if (stream === undefined) {
      stream = { url, body: parsed(body), text: "", ended: false };
      byId.set(id, stream);
      streams.push(stream);
    }
    if (piece !== undefined) stream.text += piece;
    if (ended) stream.ended = true;
  });
  await page.addInitScript(overhear);
  return streams;
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

// Runs in the page. The response is passed through, so that the page reads, cancels and aborts as ever.
function overhear() {
  const original = window.fetch;
  window.fetch = async (input, init) => {
    const response = await original(input, init);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream") || response.body === null) return response;
    const about = { id: crypto.randomUUID(), url: response.url, body: init?.body };
    const decoder = new TextDecoder();
    window.reportStream(about);
    const through = new TransformStream({
      transform(chunk, out) {
        window.reportStream({ ...about, piece: decoder.decode(chunk, { stream: true }) });
        out.enqueue(chunk);
      },
      flush() {
        window.reportStream({ ...about, ended: true });
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(through), { status, statusText, headers });
  };
}

/** The events of a stream's whole frames. */
export function eventsOf(text) {
  assert.doesNotMatch(text, /\r/, "a client splits at line feeds alone");
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((frame) => frame.split("\n").filter((line) => line.startsWith("data:")))
    .map((line) => JSON.parse(line.slice("data:".length)));
}

/**
 * Fails unless every event of every stream is one that the client of that page takes, in an order it takes; returns the
 * types of each stream, a run of pieces of one text as one. least is how many streams there have to be.
 */
export async function judgeFrames(page, { least = 1 } = {}) {
  await page.evaluate(() => {}); // what the page has reported before this has arrived
  assert.ok(page.streams.length >= least, `${page.streams.length} streams, not ${least}`);
  const types = [];
  for (const { url, text, ended } of page.streams) {
    const events = eventsOf(text);
    for (const event of events) {
      const { success, error } = EventSchemas.safeParse(event);
      assert.ok(success, `${url}: ${JSON.stringify(event)}\n${error}`);
    }
    if (ended) assert.equal(await inOrder(events), undefined, `${url}\n${text}`);
    types.push(events.map(({ type }) => type).filter((type, i, all) => type !== "TEXT_MESSAGE_CONTENT" || all[i - 1] !== type));
  }
  return types;
}

class Reader extends AbstractAgent {
  constructor(events) {
    super();
    this.events = events;
  }
  run() {
    return from(this.events);
  }
}

// What the client says of the order of a stream that ended; an empty one is an answer too.
async function inOrder(events) {
  if (events.length === 0) return undefined;
  let failure;
  try {
    await new Reader(structuredClone(events)).runAgent({}, { onRunFailed: ({ error }) => void (failure = error.message) });
  } catch (error) {
    failure ??= error.message;
  }
  return failure;
}
