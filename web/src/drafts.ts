// What a person has begun to write and not sent. It outlives the view it is written in, but not the page.

import { useCallback, useRef, useState } from "react";

const MAX_DRAFTS = 100;
const drafts = new Map<string, unknown>();

/**
 * State that is found again under its key by whoever is shown next; the least recently changed of many is given up. A change is made
 * of the newest draft, also if several come at once, and returned.
 */
export function useDraft<T>(key: string, initial: T): [T, (draft: T | ((now: T) => T)) => T] {
  const [draft, setDraft] = useState(() => (drafts.has(key) ? (drafts.get(key) as T) : initial));
  const first = useRef(initial);
  const change = useCallback(
    (draft: T | ((now: T) => T)) => {
      const now = drafts.has(key) ? (drafts.get(key) as T) : first.current;
      const next = typeof draft === "function" ? (draft as (now: T) => T)(now) : draft;
      drafts.delete(key);
      drafts.set(key, next);
      for (const oldest of drafts.keys()) {
        if (drafts.size <= MAX_DRAFTS) break;
        drafts.delete(oldest);
      }
      setDraft(next);
      return next;
    },
    [key],
  );
  return [draft, change];
}
