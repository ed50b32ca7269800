// The list of threads, as far as it is shown: what needs an answer first, then the newest.

import { listThreads, type Options, type ThreadQuery } from "../gateway/api";
import type { ThreadStatus, ThreadSummary } from "../gateway/types";
import type { View } from "../gateway/view";

/** How many threads one page of the list has. */
export const PAGE = 30;

const MAX_LIMIT = 100; // of one request
const MAX_REQUESTS = 5; // of one look, for each page that is shown; the gateway looks at so many threads in each

export interface ThreadList {
  threads: ThreadSummary[];
  /** Whether there may be older ones. */
  more: boolean;
}

/** The newest threads of those that are asked for: so many pages, as far as a bounded number of requests finds them. */
export async function newestThreads(query: Pick<ThreadQuery, "agent" | "status" | "q">, pages: number, options?: Options): Promise<ThreadList> {
  const threads: ThreadSummary[] = [];
  // All that need an answer are counted, so a page of them is as much as one request may have.
  const count = (query.status ? MAX_LIMIT : PAGE) * pages;
  let cursor: string | undefined;
  let left = MAX_REQUESTS * pages;
  do {
    const limit = Math.min(MAX_LIMIT, count - threads.length);
    const page = await listThreads({ ...query, limit, ...(cursor && { cursor }) }, options);
    // Threads that are used between two requests move to the front, and may be in both.
    threads.push(...page.threads.filter((thread) => !threads.some((t) => same(t, thread))));
    cursor = page.nextCursor;
    left--;
  } while (cursor && threads.length < count && left > 0);
  return { threads, more: cursor !== undefined };
}

/** Two agents may have a thread of the same id. */
export const same = (a: Pick<ThreadSummary, "id" | "agent">, b: Pick<ThreadSummary, "id" | "agent">) => a.id === b.id && a.agent === b.agent;

/** What a person looks for: an agent's threads, by words of their titles. */
export interface Filter {
  text: string;
  /** Empty: of all agents. */
  agent: string;
}

/** Whether the person looks for some threads, and not for all. */
export const isSearch = ({ text, agent }: Filter): boolean => text.trim() !== "" || agent !== "";

/** How many pages of all threads are shown, and how many of those that are looked for. A new search begins with one page. */
export interface Pages {
  all: number;
  found: number;
}

export const nextPage = ({ all, found }: Pages, filter: Filter): Pages => (isSearch(filter) ? { all, found: found + 1 } : { all: all + 1, found });

/** Whether a thread is one that the person looks for, as GET /threads decides it. */
export function suits({ title = "", agent }: ThreadSummary, filter: Filter): boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = [title.toLowerCase(), agent.toLowerCase()];
  return (filter.agent === "" || filter.agent === agent) && words.every((word) => texts.some((text) => text.includes(word)));
}

/** A thread that this page follows, which it knows earlier than any list. */
export interface Here {
  agent: string;
  id: string;
  /** Absent as long as it is not known. */
  status?: ThreadStatus | undefined;
}

/** Whether a thread waits for a person: it asks something, or has a call of a page's tool without a result. */
export const waits = ({ status, waitingCalls = 0 }: ThreadSummary): boolean => status === "interrupted" || (status === "idle" && waitingCalls > 0);

/** The threads that need an answer, and the others; both newest first, and none in both. */
export function grouped(lists: readonly ThreadSummary[][], here: Here | undefined): { waiting: ThreadSummary[]; others: ThreadSummary[] } {
  const all: ThreadSummary[] = [];
  for (const thread of lists.flat()) {
    if (all.some((t) => same(t, thread))) continue;
    all.push(here?.status && same(thread, here) ? { ...thread, status: here.status } : thread);
  }
  all.sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
  return { waiting: all.filter(waits), others: all.filter((thread) => !waits(thread)) };
}

/** The status that the list will have for a thread that one watches. */
export function statusOf({ running, interrupts, failure }: Pick<View, "running" | "interrupts" | "failure">): ThreadStatus {
  if (running) return "running";
  if (interrupts.length > 0) return "interrupted";
  return failure ? "failed" : "idle";
}
