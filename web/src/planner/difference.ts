import type { View } from "../gateway/view";

/** What the thread has and the agent has not, as a key that differs between differences; empty if there is none. */
export function difference(
  view: Pick<View, "running" | "runs" | "replays" | "messageIds" | "interrupts">,
  messages: readonly { id: string }[],
  pending: readonly { id: string }[],
): string {
  if (view.running) return `running ${view.runs.length} ${view.replays}`;
  const local = new Set(messages.map(({ id }) => id));
  const missing = [...view.messageIds].filter((id) => !local.has(id));
  const open = ids(view.interrupts);
  if (missing.length === 0 && open === ids(pending)) return "";
  return `${view.runs.length} ${view.replays} ${missing.join()} ${open}`;
}

const ids = (list: readonly { id: string }[]) =>
  list
    .map(({ id }) => id)
    .sort()
    .join();
