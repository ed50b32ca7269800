// Frames of a stream, in groups that leave nothing incomplete behind when the connection is cut.

import type { Frame } from "./sse.ts";

export interface Delivered<Event> {
  event: Event;
  frame: Frame;
  /** Part of a prelude: a snapshot of the thread as it is. */
  replay: boolean;
}

/** Whether a run is over with this event. */
export const isOver = ({ type }: { type: string }): boolean => type === "RUN_FINISHED" || type === "RUN_ERROR";

/**
 * Holds back frames that cannot be passed on yet. A frame without an id belongs to the next one that has one, and cannot be used
 * as a cursor. It is held until that one has arrived, so that a cut connection leaves no incomplete group behind.
 */
export class Delivery<Event extends { type: string; code?: unknown }> {
  private held: Delivered<Event>[] = [];
  private replay = false;
  private begun = false;

  take(event: Event, frame: Frame): Delivered<Event>[] {
    const { id } = frame;
    // The frames of the log have ids. A start without one opens a prelude, which ends with its first id.
    if (!this.begun && event.type === "RUN_STARTED" && id === undefined) this.replay = true;
    this.begun = true;
    // Without an id only this connection has ended. The run continues elsewhere, and is followed there.
    if (event.type === "RUN_ERROR" && id === undefined && /^(draining|store_unavailable)$/.test(String(event.code))) {
      this.held = [];
      return [];
    }
    this.held.push({ event, frame, replay: this.replay });
    if (id === undefined && !isOver(event)) return [];
    const whole = this.held;
    [this.held, this.replay] = [[], false];
    return whole;
  }
}
