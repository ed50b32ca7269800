// Drafts: text and answers that are not sent yet. They outlive their view, and a reload of their tab.

import { useCallback, useRef, useState } from "react";
import { JsonText, parse, stringify, unmarked } from "client/form";
import { session, storage } from "./session/tab";

const MAX_DRAFTS = 100;
/** How many characters of one draft a reload keeps. */
const MAX_KEPT = 200_000;

const PREFIX = "draft ";
/** The member of a stored draft that holds unfinished JSON. */
const JSON_TEXT = "\0json";

/** The drafts of a tab. The least recently changed of many is given up. */
export class Drafts {
  private readonly all = new Map<string, unknown>();
  private readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;
  private readonly over: () => boolean;

  /** over says that the person has signed out: nothing is kept any more. */
  constructor(storage: Drafts["storage"], over: () => boolean) {
    [this.storage, this.over] = [storage, over];
  }

  get<T>(key: string, initial: T): T {
    if (this.all.has(key)) return this.all.get(key) as T;
    try {
      const text = this.storage?.getItem(PREFIX + key);
      return typeof text === "string" ? (unpacked(parse(text, { spelling: true })) as T) : initial;
    } catch {
      return initial;
    }
  }

  set(key: string, draft: unknown) {
    this.all.delete(key);
    this.all.set(key, draft);
    this.keep(key, draft);
    for (const oldest of this.all.keys()) {
      if (this.all.size <= MAX_DRAFTS) break;
      this.all.delete(oldest);
      this.keep(oldest, undefined);
    }
  }

  private keep(key: string, draft: unknown) {
    try {
      const text = draft === undefined || draft === "" || this.over() ? "" : stringify(packed(unmarked(draft)));
      if (text === "" || text.length > MAX_KEPT || key.startsWith("files ")) this.storage?.removeItem(PREFIX + key); // a file cannot be kept
      else this.storage?.setItem(PREFIX + key, text);
    } catch {
      // Storage is full or forbidden: the draft lasts as long as the page.
    }
  }
}

function packed(value: unknown): unknown {
  if (value instanceof JsonText) return { [JSON_TEXT]: value.text };
  return mapped(value, packed);
}

function unpacked(value: unknown): unknown {
  const text = (value as Record<string, unknown> | null)?.[JSON_TEXT];
  return typeof text === "string" ? new JsonText(text) : mapped(value, unpacked);
}

function mapped(value: unknown, to: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(to);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, to(member)]));
}

const drafts = new Drafts(storage(), () => session.current().over);

/**
 * State under a key, shared by all views that use it. A change starts from the newest draft, also if several come at once, and is returned.
 */
export function useDraft<T>(key: string, initial: T): [T, (draft: T | ((now: T) => T)) => T] {
  const [draft, setDraft] = useState(() => drafts.get(key, initial));
  const first = useRef(initial);
  const change = useCallback(
    (draft: T | ((now: T) => T)) => {
      const next = typeof draft === "function" ? (draft as (now: T) => T)(drafts.get(key, first.current)) : draft;
      drafts.set(key, next);
      setDraft(next);
      return next;
    },
    [key],
  );
  return [draft, change];
}
