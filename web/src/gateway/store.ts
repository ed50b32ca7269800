// The threads that a page follows, each by one connection, and their views.

import { getThread } from "./api";
import { follow, type Follow, type FollowStatus } from "./follow";
import { noSteps, type Steps, step, withSteps } from "./steps";
import type { AguiEvent, Interrupt, SeenEvent } from "./types";
import { emptyView, forgotten, know, reduce, type Specialist, type View } from "./view";

/** A thread as it is now. A new object after every change, and none between. */
export interface Following {
  status: FollowStatus;
  /** The newest MAX_EVENTS events that have arrived, oldest first. */
  events: readonly SeenEvent[];
  /** The number of older events, which are not kept. */
  dropped: number;
  /** The state that the oldest of `events` found; absent while all of them are kept. */
  base?: { state: unknown };
  view: View;
  /** Who works, or has worked, on what; of the present run where `current`. */
  specialists: readonly Specialist[];
  running: boolean;
  /** Grows when a run begins while this page watches, whoever started it. */
  runCount: number;
  interrupts: readonly Interrupt[];
  /** The live state of the newest run, as far as this page has received it. */
  steps: Steps;
  /** A run begins on the thread: ask the gateway now. */
  kick(): void;
}

/** How many events of a thread are kept to be looked at. */
export const MAX_EVENTS = 5000;
// How long a connection stays open without a subscriber, because views change and React mounts twice in development.
const LINGER = 3000;

/** Returns the reader of an (agent, thread), and creates it if there is none. */
export class FollowStore {
  private readonly entries = new Map<string, Entry>();
  private readonly held: (() => boolean) | undefined;

  /** held says whether requests wait until the person has signed in. */
  constructor(held?: () => boolean) {
    this.held = held;
  }

  entry(agent: string, thread: string, fresh = false): Entry {
    const key = JSON.stringify([agent, thread]);
    let entry = this.entries.get(key);
    if (!entry) {
      entry = new Entry(agent, thread, fresh, this.held);
      this.entries.set(key, entry);
    }
    return entry;
  }

  /** Ends the reader of a thread without subscribers at once. */
  forget(agent: string, thread: string) {
    this.entries.get(JSON.stringify([agent, thread]))?.leave();
  }
}

/** The reader of one thread; it is connected while somebody is subscribed. */
export class Entry {
  private readonly agent: string;
  private readonly thread: string;
  private readonly fresh: boolean;
  private readonly held: (() => boolean) | undefined;
  private readonly listeners = new Set<() => void>();
  private following: Following;
  private reader: Follow | undefined;
  private linger: ReturnType<typeof setTimeout> | undefined;
  private arrived: SeenEvent[] = []; // since the last flush
  private flushing = false;
  private n = 0;

  constructor(agent: string, thread: string, fresh: boolean, held?: () => boolean) {
    [this.agent, this.thread, this.fresh, this.held] = [agent, thread, fresh, held];
    this.following = this.nothing();
  }

  readonly current = (): Following => this.following;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    clearTimeout(this.linger);
    this.reader ??= this.open();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.linger = setTimeout(() => this.close(), LINGER);
    };
  };

  /** Closes at once if there is no subscriber. */
  leave() {
    if (this.listeners.size > 0) return;
    clearTimeout(this.linger);
    this.close();
  }

  private nothing(): Following {
    const { specialists, running, runCount, interrupts } = emptyView;
    const kick = () => this.reader?.kick();
    return { status: "connecting", events: [], dropped: 0, view: emptyView, specialists, running, runCount, interrupts, steps: noSteps, kick };
  }

  private open(): Follow {
    return follow({
      agent: this.agent,
      thread: this.thread,
      fresh: this.fresh,
      ...(this.held && { held: this.held }),
      onStatus: (status) => {
        this.flush();
        this.change({ status });
        if (status === "unknown") this.see(forgotten(this.following.view), {});
      },
      onEvent: (event, id, replay) => this.arrive(event, id, replay),
    });
  }

  private close() {
    this.reader?.close();
    this.reader = undefined;
    this.arrived = [];
    this.following = this.nothing(); // the entry stays, so that there is never a second one; what it held need not
  }

  private arrive(event: AguiEvent, id: string | undefined, replay: boolean) {
    this.arrived.push({ n: this.n++, event, id, at: Date.now(), replay });
    if (this.flushing) return;
    this.flushing = true;
    // A frame's worth of events is one change. A timer, since hidden tabs paint no frames.
    setTimeout(() => this.flush(), 16);
  }

  private flush() {
    const all = this.arrived;
    [this.arrived, this.flushing] = [[], false];
    if (!this.reader || all.length === 0) return;
    const steps = withSteps(this.following.steps, all);
    if (steps !== this.following.steps) this.change({ steps });
    const arrived = all.filter(({ event }) => !step(event)); // the events are those that every reader gets
    if (arrived.length === 0) return;
    const view = arrived.reduce((view, { event, replay }) => reduce(view, event, replay), this.following.view);
    const whole = [...this.following.events, ...arrived];
    const events = whole.slice(-MAX_EVENTS);
    const gone = whole.slice(0, whole.length - events.length);
    this.see(view, { events, dropped: this.following.dropped + gone.length, base: after(this.following.base, gone) });
    // A run that failed may have opened its questions again, and a prelude does not say that one has: only the thread does.
    if (arrived.some(({ event, replay }) => replay || event.type === "RUN_ERROR") && !view.running) void this.look(view);
  }

  private async look(view: View) {
    const thread = await getThread(this.thread, this.agent, { messages: 1 }).catch(() => undefined);
    if (thread && this.reader && this.following.view === view) this.see(know(view, thread), {});
  }

  private see(view: View, more: Partial<Following>) {
    const { specialists, running, runCount, interrupts } = view;
    this.change({ view, specialists, running, runCount, interrupts, ...more });
  }

  private change(part: Partial<Following>) {
    this.following = { ...this.following, ...part };
    for (const listener of [...this.listeners]) listener();
  }
}

// The state after the events, if any of them says what it is.
function after(base: Following["base"], events: readonly SeenEvent[]): Following["base"] {
  for (const { event } of events) {
    if (event.type === "STATE_SNAPSHOT") base = { state: event.snapshot };
    if (event.type === "STATE_DELTA" && base) base = { state: reduce({ ...emptyView, state: base.state }, event).state };
  }
  return base;
}
