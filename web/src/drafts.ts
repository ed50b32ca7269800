// What a person has begun to write and not sent. It outlives the view it is written in, but not the page.

import { useCallback, useState } from "react";

const MAX_DRAFTS = 100;
const drafts = new Map<string, unknown>();

/** State that is found again under its key by whoever is shown next; the least recently changed of many is given up. */
export function useDraft<T>(key: string, initial: T): [T, (draft: T) => void] {
  const [draft, setDraft] = useState(() => (drafts.has(key) ? (drafts.get(key) as T) : initial));
  const change = useCallback(
    (next: T) => {
      drafts.delete(key);
      drafts.set(key, next);
      for (const oldest of drafts.keys()) {
        if (drafts.size <= MAX_DRAFTS) break;
        drafts.delete(oldest);
      }
      setDraft(next);
    },
    [key],
  );
  return [draft, change];
}
