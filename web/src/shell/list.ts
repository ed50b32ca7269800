// The list of an agent's threads, as far as it is shown.

import { listThreads, type Options } from "../gateway/api";
import type { ThreadStatus, ThreadSummary } from "../gateway/types";
import type { View } from "../gateway/view";

/** How many threads one page of the list has. */
export const PAGE = 30;

const MAX_LIMIT = 100; // of one request

export interface ThreadList {
  threads: ThreadSummary[];
  /** Whether there are older ones. */
  more: boolean;
}

/** The newest threads of an agent, so many of them. */
export async function newestThreads(agent: string, count: number, options?: Options): Promise<ThreadList> {
  const threads: ThreadSummary[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(MAX_LIMIT, count - threads.length);
    const page = await listThreads({ agent, limit, ...(cursor && { cursor }) }, options);
    // What is used between two requests moves to the front, and may be in both.
    threads.push(...page.threads.filter(({ id }) => !threads.some((t) => t.id === id)));
    cursor = page.nextCursor;
  } while (cursor && threads.length < count);
  return { threads, more: cursor !== undefined };
}

/** The status that the list will have for a thread that one watches. */
export function statusOf({ running, interrupts, failure }: Pick<View, "running" | "interrupts" | "failure">): ThreadStatus {
  if (running) return "running";
  if (interrupts.length > 0) return "interrupted";
  return failure ? "failed" : "idle";
}
