// Who of a team has spoken, and who speaks now, from what happened.

import type { SeenEvent } from "../../gateway/types";

export interface Spoken {
  /** How many turns each had, by its path. */
  turns: ReadonlyMap<string, number>;
  active: ReadonlySet<string>;
}

/** A turn is a step of the stream; those of a run that has ended are over. */
export function spokenIn(events: readonly SeenEvent[]): Spoken {
  const turns = new Map<string, number>();
  const active = new Map<string, number>();
  const count = (counts: Map<string, number>, path: string, n: number) => counts.set(path, (counts.get(path) ?? 0) + n);
  for (const { event, replay } of events) {
    if (event.type === "STEP_STARTED") {
      if (!replay) count(turns, event.stepName, 1);
      count(active, event.stepName, 1);
    } else if (event.type === "STEP_FINISHED") count(active, event.stepName, -1);
    else if (event.type === "RUN_STARTED" || event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") active.clear();
  }
  return { turns, active: new Set([...active].filter(([, n]) => n > 0).map(([path]) => path)) };
}
