// The runs of a thread, each with its number.

import type { Run } from "../gateway/types";

/** Runs, newest first, with their numbers; a gateway that does not tell them keeps all runs of a thread, so that they can be counted. */
export function numbered(runs: readonly Run[]): (Run & { number: number })[] {
  return runs.map((run, i) => ({ ...run, number: run.number ?? runs.length - i }));
}
