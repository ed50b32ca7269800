// What somebody looks at: a message in the conversation and its row in the inspector are selected together, whichever of the
// two was chosen.

import { useSyncExternalStore } from "react";

export interface Selection {
  /** Where it was chosen; the other side scrolls to it. */
  from: "chat" | "inspector";
  messageId?: string | undefined;
  toolCallId?: string | undefined;
  interruptId?: string | undefined;
  subagentRunId?: string | undefined;
  /** A step of the run with this number. */
  step?: { run: number; id: string } | undefined;
  /** A row of the events, by its key. */
  row?: number | undefined;
}

let current: Selection | undefined;
const listeners = new Set<() => void>();

export function select(selection: Selection | undefined) {
  if (selection === current) return;
  current = selection;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const read = () => current;

export const useSelection = (): Selection | undefined => useSyncExternalStore(subscribe, read);

/** How a message is selected: undefined if it is not. */
export const useSelectedMessage = (id: string): Selection["from"] | undefined =>
  useSyncExternalStore(subscribe, () => (current?.messageId === id ? current.from : undefined));
