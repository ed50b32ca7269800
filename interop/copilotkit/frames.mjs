// What CopilotKit's client says of the event streams that a page received. The client is 0.0.59, on which CopilotKit's pages are built.
//
// CopilotKit 1.74 turns an event its schema refuses into a quiet end of the stream: the page shows nothing of it.

import { AbstractAgent, EventSchemas } from "agui-client-old";
import assert from "node:assert/strict";
import { from } from "rxjs";

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
