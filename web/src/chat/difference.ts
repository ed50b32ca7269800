import type { View } from "../gateway/view";

/** The part of its thread that a tab knows. */
export interface Held {
  messages: readonly { id: string }[];
  /** The questions it shows. */
  pending: readonly { id: string }[];
  /** Those of them that have expired. The thread has them no more, and no event says so. */
  expired: ReadonlySet<string>;
  /** The run with an end that the tab has read. If the view still has it running, the view is behind. */
  ended: string;
}

/** A key for the difference between thread and tab, another one for each difference; empty if there is none. */
export function difference(view: Pick<View, "running" | "runs" | "replays" | "messageIds" | "interrupts">, held: Held): string {
  if (view.runs.length === 0) return ""; // no event of the thread has arrived yet
  if (view.running) return view.runs.at(-1)?.runId === held.ended ? "" : `running ${view.runs.length} ${view.replays}`;
  const local = new Set(held.messages.map(({ id }) => id));
  const missing = [...view.messageIds].filter((id) => !local.has(id));
  const open = keyOf(view.interrupts.filter(({ id }) => !held.expired.has(id)));
  const pending = held.pending.filter(({ id }) => !held.expired.has(id));
  if (missing.length === 0 && open === keyOf(pending)) return "";
  return `${view.runs.length} ${view.replays} ${missing.join()} ${open}`;
}

/** Whether the view has a state that is newer than that of the runs this tab knows the end of: something else has ended since. */
export function hasLaterState({ running, diverged, runs }: Pick<View, "running" | "diverged" | "runs">, known: readonly string[]): boolean {
  const last = runs.at(-1);
  return !running && !diverged && last !== undefined && !last.replay && !known.includes(last.runId);
}

/** A key for a set of questions. */
export const keyOf = (questions: readonly { id: string }[]): string =>
  questions
    .map(({ id }) => id)
    .sort()
    .join();
