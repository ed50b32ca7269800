// The steps of the newest run, as a reader that asks for them gets each: at its beginning, and at its end.

import type { AguiEvent, SeenEvent, Step } from "./types";

export interface Steps {
  /** By id, in the order in which they began. */
  all: ReadonlyMap<string, Step>;
  /** The run has ended: a step that is not known begins another. */
  over: boolean;
  /** When the newest time of the gateway's clock arrived: {clock, at}, both Unix milliseconds. */
  newest?: { clock: number; at: number };
}

export const noSteps: Steps = { all: new Map(), over: false };

/** The step that an event tells of, if that is what it does. */
export function step(event: AguiEvent): Step | undefined {
  if (event.type !== "CUSTOM" || event.name !== "gateway.trace") return undefined;
  const value = event.value as Partial<Step> | null;
  return typeof value === "object" && value && typeof value.id === "string" && typeof value.start === "number" ? (value as Step) : undefined;
}

/** The steps after some events. */
export function withSteps(before: Steps, events: readonly SeenEvent[]): Steps {
  let { over, newest } = before;
  let all: Map<string, Step> | undefined; // a copy, once there is something to change
  for (const { event, at, replay } of events) {
    const told = step(event);
    const clock = told ? (told.end ?? told.start) : event.timestamp;
    if (clock !== undefined && !replay && clock >= (newest?.clock ?? 0)) newest = { clock, at };
    if (told) {
      const another = over && !(all ?? before.all).has(told.id);
      if (another) [all, over] = [new Map(), false];
      (all ??= new Map(before.all)).set(told.id, told);
    } else if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") over = true;
    else if (event.type === "RUN_STARTED" && over) [all, over] = [new Map(), false];
  }
  if (!all && over === before.over && newest === before.newest) return before;
  return { all: all ?? before.all, over, ...(newest && { newest }) };
}
