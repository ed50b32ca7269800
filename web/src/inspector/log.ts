// The log of runs that had ended, or were live, when this page was opened. A reader without a cursor is sent a prelude,
// one with a cursor the events behind it.

import { parse } from "client/form/exact";
import { mount } from "../mount";
import { threadPath } from "../gateway/api";
import { FrameParser } from "client/sse";
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
 * any more, and no more than the newest so many. The times are unknown, `at` is 0. `n` counts up from -1e9, before
 * everything that was seen.
 */
export async function readLog(agent: string, thread: string, until: string, signal: AbortSignal, most: number): Promise<Kept> {
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
      if (done) return nothing; // the log ended without the known event: it is another one
      for (const { data, id } of parser.push(decoder.decode(value, { stream: true }))) {
        if (events.length === 0 && id === undefined) return nothing; // a prelude: there is no log
        const event = parse(data) as AguiEvent;
        events.push({ n: dropped + events.length - 1e9, event, id, at: 0, replay: false });
        if (id === until) return newest(events, dropped, most);
      }
      if (events.length > 2 * most) ({ events, dropped } = newest(events, dropped, most));
    }
  } catch {
    return nothing; // the page works without the log
  } finally {
    signal.removeEventListener("abort", stop);
    abort.abort();
  }
}

function newest(events: SeenEvent[], dropped: number, most: number): { events: SeenEvent[]; dropped: number } {
  const surplus = Math.max(0, events.length - most);
  return surplus === 0 ? { events, dropped } : { events: events.slice(surplus), dropped: dropped + surplus };
}

/** The events of a thread: those that were received live, after the log of the earlier ones. */
export class History {
  private all: SeenEvent[] = [];
  private dropped = 0;
  private log: Kept = nothing;
  private last = -1; // the number of the last event that was seen

  /** The history with the events received since, and the log as read; of both together the newest, up to the wanted number. */
  sync(seen: Kept, log: Kept, most: number): Kept {
    const last = this.last;
    const first = seen.events[0]?.n ?? last + 1;
    // Received events continue without a gap, unless the inspector was closed for long, or the page reads anew.
    if (this.all.length === 0 || first > last + 1 || (seen.events.at(-1)?.n ?? -1) < last) {
      [this.all, this.dropped, this.log] = [[...seen.events], seen.dropped, nothing];
    } else {
      let next = seen.events.length;
      while (next > 0 && seen.events[next - 1]!.n > last) next--;
      if (next < seen.events.length) this.all = [...this.all, ...seen.events.slice(next)];
    }
    this.last = seen.events.at(-1)?.n ?? -1;
    if (log !== this.log) this.join(log);
    ({ events: this.all, dropped: this.dropped } = newest(this.all, this.dropped, most));
    return { events: this.all, dropped: this.dropped };
  }

  // Replaces the prelude, or the same events, by the log.
  private join(log: Kept) {
    this.log = log;
    const until = log.events.at(-1)?.id;
    const end = until === undefined ? -1 : this.all.findIndex(({ id }) => id === until);
    if (end < 0) return void (this.dropped += log.events.length + log.dropped);
    [this.all, this.dropped] = [[...log.events, ...this.all.slice(end + 1)], log.dropped];
  }
}

/** The id of the first event that has one: the log has the events before it. */
export const firstId = (events: readonly SeenEvent[]): string | undefined => events.find(({ id }) => id !== undefined)?.id;

/** The id at the end of the prelude that events begin with, if they do and it is all there. */
export function preludeEnd(events: readonly SeenEvent[]): string | undefined {
  if (!events[0]?.replay) return undefined;
  return firstId(events);
}
