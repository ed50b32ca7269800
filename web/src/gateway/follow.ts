// A reader of one thread that comes back by itself: after a cut, behind the last event that arrived; after the tab
// was hidden, likewise. EventSource would do, but for a thread that is not there yet (404) and a cursor.

import { parse } from "client/form/exact";
import { mount } from "../mount";
import { type GatewayError, listThreads, threadPath } from "./api";
import { learnTime } from "client/clock";
import { type Delivered, Delivery } from "client/delivery";
import { FrameParser } from "client/sse";
import type { AguiEvent } from "./types";

/**
 * connecting: the first try, or the first after a cut. open: events arrive as they happen. lost: the gateway could not
 * be reached again; attempts continue. unknown: the gateway has no such thread (yet).
 */
export type FollowStatus = "connecting" | "open" | "lost" | "unknown";

export interface FollowOptions {
  thread: string;
  agent: string;
  /** replay: part of a prelude, a snapshot of the thread as it is; a RUN_STARTED in it replaces the earlier events. */
  onEvent(event: AguiEvent, id: string | undefined, replay: boolean): void;
  onStatus?(status: FollowStatus): void;
  /** The thread was just made up by this page: it is not asked for until kick(), or until it is in the list. */
  fresh?: boolean;
  /** Continue after this event instead of beginning with a prelude. */
  cursor?: string;
  /** Milliseconds before each new try, the last one for all that follow; shortened at random by up to half. */
  backoff?: readonly number[];
  /** Milliseconds without a byte, heartbeats included, after which a connection is taken for dead. */
  silence?: number;
  /** Whether requests wait until the person has signed in: that silence is not the connection's. */
  held?: () => boolean;
}

export interface Follow {
  /** Ends it for good; nothing is called any more. */
  close(): void;
  /** Something begins on the thread, so that it is there by now: try at once. */
  kick(): void;
}

const BACKOFF = [250, 500, 1000, 2000, 4000, 8000];
const SILENCE = 40_000; // two heartbeats and a half
const BEGINNING = [150, 300, 600, 1000, 2000]; // the waits for a thread that is about to be there

export function follow(options: FollowOptions): Follow {
  const follower = new Follower(options);
  follower.start();
  return { close: () => follower.close(), kick: () => follower.kick() };
}

const HIDDEN = "hidden"; // the reason for ending the connection of a hidden tab

type Ending = "cut" | "unknown" | "ended";

class Follower {
  private readonly o: FollowOptions;
  private cursor: string | undefined;
  private status: FollowStatus | undefined;
  private closed = false;
  private tries = 0;
  private known: boolean;
  private beginning = 0; // how often a thread that is about to be there may still be asked for
  private news = false; // an unknown thread may be known by now
  private abort: AbortController | undefined; // of the connection, if there is one
  private wake: (() => void) | undefined; // ends the present wait

  constructor(options: FollowOptions) {
    this.o = options;
    this.cursor = options.cursor;
    this.known = !options.fresh;
  }

  start() {
    document.addEventListener("visibilitychange", this.onVisible);
    window.addEventListener("online", this.onOnline);
    window.addEventListener("focus", this.onFocus);
    void this.loop();
  }

  close() {
    this.closed = true;
    document.removeEventListener("visibilitychange", this.onVisible);
    window.removeEventListener("online", this.onOnline);
    window.removeEventListener("focus", this.onFocus);
    this.abort?.abort();
    this.wake?.();
  }

  kick() {
    [this.tries, this.known, this.beginning] = [0, true, BEGINNING.length];
    this.wake?.();
  }

  private readonly onVisible = () => {
    if (document.hidden) this.abort?.abort(HIDDEN);
    else this.news = true;
    this.wake?.();
  };

  private readonly onOnline = () => {
    [this.tries, this.news] = [0, true];
    this.wake?.();
  };

  // The window is visible again; another one may have begun the thread.
  private readonly onFocus = () => {
    this.news = true;
    if (!this.known) this.wake?.();
  };

  // The only place that opens connections, one after the other: there is never a second one.
  private async loop() {
    while (!this.closed) {
      if (document.hidden) {
        await this.wait();
        continue;
      }
      if (!this.known) {
        await this.look();
        continue;
      }
      if (this.status !== "lost") this.tell("connecting");
      const retryAfter = { ms: 0 };
      const ending = await this.connect(retryAfter);
      if (this.closed) return;
      if (ending === "unknown") {
        this.cursor = undefined;
        // After a kick it is about to be there; else it was deleted, or never was.
        if (this.beginning > 0) await this.wait(pick(BEGINNING, BEGINNING.length - this.beginning--));
        else this.known = this.news = false;
      } else if (ending === "cut") {
        if (this.tries > 0) this.tell("lost");
        await this.wait(Math.max(pick(this.o.backoff ?? BACKOFF, this.tries++), retryAfter.ms));
      }
    }
  }

  // Waits until an unknown thread may have been begun, because there is no notice of that. Then it asks the
  // list, which answers 200 where the thread's own route would write a 404 into the browser's console.
  private async look() {
    this.tell("unknown");
    if (!this.news) await this.wait();
    if (!this.news || this.known || this.closed || document.hidden) return;
    this.news = false;
    const abort = (this.abort = new AbortController());
    try {
      const { threads, nextCursor } = await listThreads({ agent: this.o.agent, limit: 100 }, { signal: abort.signal });
      // What this page has made up is among the newest as soon as somebody begins it.
      const older = nextCursor !== undefined && !this.o.fresh;
      if (older || threads.some(({ id }) => id === this.o.thread)) this.known = true;
    } catch (error) {
      if (!abort.signal.aborted && unreachable(error)) this.known = true; // connect() says so, and waits for its return
    } finally {
      this.abort = undefined;
    }
  }

  private async connect(retryAfter: { ms: number }): Promise<Ending> {
    const abort = (this.abort = new AbortController());
    let silent: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silent);
      silent = setTimeout(() => (this.o.held?.() ? heard() : abort.abort()), this.o.silence ?? SILENCE);
    };
    try {
      heard();
      const headers: Record<string, string> = { Accept: "text/event-stream", "X-Gateway-Files": "links" };
      if (this.cursor) headers["Last-Event-ID"] = this.cursor;
      const path = threadPath(this.o.thread, this.o.agent, "events", { follow: "1", trace: "1", protocolVersion: "1.0" });
      const response = await fetch(mount + path, { headers, cache: "no-store", signal: abort.signal });
      learnTime(response);
      if (response.status === 404) return "unknown";
      if (!response.ok || !response.body) {
        retryAfter.ms = 1000 * Math.min(30, Number(response.headers.get("Retry-After")) || 0);
        await response.body?.cancel();
        return "cut";
      }
      this.tell("open");
      this.beginning = 0;
      await this.read(response.body, heard);
      return "cut";
    } catch {
      return abort.signal.reason === HIDDEN ? "ended" : "cut";
    } finally {
      clearTimeout(silent);
      abort.abort(); // closes the connection, whatever has ended the stream
      this.abort = undefined;
    }
  }

  private async read(body: ReadableStream<Uint8Array>, heard: () => void) {
    const [reader, decoder, parser] = [body.getReader(), new TextDecoder(), new FrameParser()];
    const delivery = new Delivery<AguiEvent>();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.closed) return;
      heard();
      this.tries = 0;
      for (const frame of parser.push(decoder.decode(value, { stream: true }))) {
        const event = decode(frame.data);
        if (!event) continue;
        if (frame.id !== undefined) this.cursor = frame.id;
        for (const told of delivery.take(event, frame)) this.pass(told);
      }
    }
  }

  // An error of a listener must not end the connection.
  private pass({ event, frame, replay }: Delivered<AguiEvent>) {
    if (this.closed) return;
    try {
      this.o.onEvent(event, frame.id, replay);
    } catch (error) {
      reportError(error);
    }
  }

  private tell(status: FollowStatus) {
    if (this.closed || this.status === status) return;
    this.status = status;
    this.o.onStatus?.(status);
  }

  // Resolves after ms, or at the next kick, visibility change or close; without ms only then.
  private wait(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => this.wake?.(), ms);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
    });
  }
}

function decode(data: string): AguiEvent | undefined {
  try {
    const event: unknown = parse(data);
    if (typeof event === "object" && event !== null && typeof (event as AguiEvent).type === "string") return event as AguiEvent;
  } catch {
    // The frame is not the gateway's and is ignored.
  }
  return undefined;
}

function pick(waits: readonly number[], n: number): number {
  const ms = waits[Math.min(n, waits.length - 1)] ?? 1000;
  return ms * (0.5 + Math.random() / 2); // so that not all readers come back at the same moment
}

function unreachable(error: unknown): boolean {
  return (error as GatewayError).status === 0;
}
