// The log of runs that were over, or under way, when this page came: a reader without a cursor is told how things
// stand, one with a cursor is told what happened since.

import { threadPath } from "../gateway/api";
import { FrameParser } from "../gateway/sse";
import type { AguiEvent, Run, SeenEvent } from "../gateway/types";

/**
 * Reads the log up to and with the event that has the id `until`, as far back as the gateway still has it: empty if it
 * has nothing. The times are unknown, `at` is 0. `n` counts up from -1,000,000, before everything that was seen.
 */
export async function readLog(agent: string, thread: string, runs: readonly Run[], until: string, signal: AbortSignal): Promise<SeenEvent[]> {
  for (const cursor of cursors(runs, until)) {
    const events = await readFrom(agent, thread, cursor, until, signal);
    if (events.length > 0) return events;
  }
  return [];
}

// An id is <fence>-<seq>, and a run's fence is normally the millisecond it began in. A guess that is wrong does no
// harm: a cursor that the log does not know is answered with a prelude.
export function cursors(runs: readonly Run[], until: string): string[] {
  const fences = runs.slice(0, MOST_TRIES).map(({ startedAt }) => String(Date.parse(startedAt)));
  const own = until.split("-")[0] ?? "";
  return [...new Set([...fences.reverse(), own])].filter((fence) => /^\d+$/.test(fence)).map((fence) => `${fence}-1`);
}

const MOST_TRIES = 5;
const MOST_EVENTS = 5000;

async function readFrom(agent: string, thread: string, cursor: string, until: string, signal: AbortSignal): Promise<SeenEvent[]> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const path = threadPath(thread, agent, "events", { protocolVersion: "1.0" });
    const response = await fetch(path, {
      headers: { Accept: "text/event-stream", "Last-Event-ID": cursor },
      cache: "no-store",
      signal: abort.signal,
    });
    if (response.status !== 200 || !response.body) return [];
    const [reader, decoder, parser] = [response.body.getReader(), new TextDecoder(), new FrameParser()];
    const events: SeenEvent[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return []; // the log ended without the event we know: what it told is not what led here
      for (const { data, id } of parser.push(decoder.decode(value, { stream: true }))) {
        const event = JSON.parse(data) as AguiEvent;
        if (events.length === 0 && id === undefined) return []; // a prelude
        events.push({ n: events.length - 1_000_000, event, id, at: 0, replay: false });
        if (id === until || events.length >= MOST_EVENTS) return id === until ? events : [];
      }
    }
  } catch {
    return []; // it only adds to what is shown
  } finally {
    signal.removeEventListener("abort", stop);
    abort.abort();
  }
}

/** The events with the log in the place of the prelude that stood for it. */
export function withLog(events: readonly SeenEvent[], log: readonly SeenEvent[]): readonly SeenEvent[] {
  const until = log.at(-1)?.id;
  const end = until === undefined ? -1 : events.findIndex(({ id }) => id === until);
  return end < 0 ? events : [...log, ...events.slice(end + 1)];
}

/** The id at the end of the prelude that events begin with, if they do and it is all there. */
export function preludeEnd(events: readonly SeenEvent[]): string | undefined {
  if (!events[0]?.replay) return undefined;
  return events.find(({ id }) => id !== undefined)?.id;
}
