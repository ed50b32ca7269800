import type { View } from "../gateway/view";

/** What a tab has of its thread. */
export interface Held {
  messages: readonly { id: string }[];
  /** The questions it shows. */
  pending: readonly { id: string }[];
  /** Of these those whose time is over: they are none of the thread's any more, though nobody has told. */
  expired: ReadonlySet<string>;
  /** The run whose end it has read: where the view has it running still, it is the view that is behind. */
  ended: string;
}

/** What the thread has and the tab has not, as a key that differs between differences; empty if there is none. */
export function difference(view: Pick<View, "running" | "runs" | "replays" | "messageIds" | "interrupts">, held: Held): string {
  if (view.runs.length === 0) return ""; // nothing was heard of the thread yet: it has told not even that it is empty
  if (view.running) return view.runs.at(-1)?.runId === held.ended ? "" : `running ${view.runs.length} ${view.replays}`;
  const local = new Set(held.messages.map(({ id }) => id));
  const missing = [...view.messageIds].filter((id) => !local.has(id));
  const open = keyOf(view.interrupts.filter(({ id }) => !held.expired.has(id)));
  if (missing.length === 0 && open === keyOf(held.pending)) return "";
  return `${view.runs.length} ${view.replays} ${missing.join()} ${open}`;
}

/** Stands for a set of questions. */
export const keyOf = (questions: readonly { id: string }[]): string =>
  questions
    .map(({ id }) => id)
    .sort()
    .join();
