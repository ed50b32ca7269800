// The log of runs that had ended, or were live, when this page was opened. A reader without a cursor is sent a prelude,
// one with a cursor the events behind it.

import { mount } from "../mount";
import { threadPath } from "../gateway/api";
import { FrameParser } from "../gateway/sse";
import { MAX_EVENTS } from "../gateway/store";
import type { AguiEvent, SeenEvent } from "../gateway/types";

/** Events, oldest first, and how many there were before them that are not kept. */
export interface Kept {
  events: readonly SeenEvent[];
  dropped: number;
}

export const nothing: Kept = { events: [], dropped: 0 };

// The place before every event: what follows it is all that the log still has.
const BEGINNING = "0-0";

/**
 * Reads the log from its beginning up to and with the event that has the id `until`: nothing if the gateway has no log
 * any more, and the newest part of a very long one. The times are unknown, `at` is 0. `n` counts up from -1e9, before
 * everything that was seen.
 */
export async function readLog(agent: string, thread: string, until: string, signal: AbortSignal): Promise<Kept> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const path = threadPath(thread, agent, "events", { protocolVersion: "1.0" });
    const response = await fetch(mount + path, {
      headers: { Accept: "text/event-stream", "Last-Event-ID": BEGINNING },
      cache: "no-store",
      signal: abort.signal,
    });
    if (response.status !== 200 || !response.body) return nothing;
    const [reader, decoder, parser] = [response.body.getReader(), new TextDecoder(), new FrameParser()];
    let [events, dropped]: [SeenEvent[], number] = [[], 0];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return nothing; // the log ended without the event we know: what it told is not what led here
      for (const { data, id } of parser.push(decoder.decode(value, { stream: true }))) {
        if (events.length === 0 && id === undefined) return nothing; // a prelude: there is no log
        const event = JSON.parse(data) as AguiEvent;
        events.push({ n: dropped + events.length - 1e9, event, id, at: 0, replay: false });
        if (id === until) return newest(events, dropped);
      }
      if (events.length > 2 * MAX_EVENTS) ({ events, dropped } = newest(events, dropped));
    }
  } catch {
    return nothing; // the page works without the log
  } finally {
    signal.removeEventListener("abort", stop);
    abort.abort();
  }
}

function newest(events: SeenEvent[], dropped: number): { events: SeenEvent[]; dropped: number } {
  const surplus = Math.max(0, events.length - MAX_EVENTS);
  return surplus === 0 ? { events, dropped } : { events: events.slice(surplus), dropped: dropped + surplus };
}

/**
 * What was seen, with the log in the place of the prelude that stood for it. Of both together the newest are kept, so that
 * the log goes event by event as new ones come.
 */
export function withLog(seen: Kept, log: Kept): Kept {
  const until = log.events.at(-1)?.id;
  const end = until === undefined ? -1 : seen.events.findIndex(({ id }) => id === until);
  if (end >= 0) return newest([...log.events, ...seen.events.slice(end + 1)], log.dropped);
  return log.events.length === 0 ? seen : { events: seen.events, dropped: seen.dropped + log.dropped + log.events.length };
}

/** The id at the end of the prelude that events begin with, if they do and it is all there. */
export function preludeEnd(events: readonly SeenEvent[]): string | undefined {
  if (!events[0]?.replay) return undefined;
  return events.find(({ id }) => id !== undefined)?.id;
}
