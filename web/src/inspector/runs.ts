// The runs of a thread, each with its number.

import { stringify } from "client/form/exact";
import type { Message, Run } from "../gateway/types";

/** Runs, newest first, with their numbers; a gateway that does not tell them keeps all runs of a thread, so that they can be counted. */
export function numbered(runs: readonly Run[]): (Run & { number: number })[] {
  return runs.map((run, i) => ({ ...run, number: run.number ?? runs.length - i }));
}

const MAX_LENGTH = 200;

/** A message in a line. */
export const textOf = ({ content }: Message): string => (typeof content === "string" ? content : stringify(content ?? "")).slice(0, MAX_LENGTH);
