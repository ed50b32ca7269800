// Where in the page one is lives in the location's hash, so that a reload, a bookmark and a second tab find it again:
// #/t/<agent> begins a conversation, #/t/<agent>/<thread> is one; ?inspect=<tab> opens the inspector beside it, with run=<number> at one of the
// thread's runs and with event=<id> at one of its events.

import { useMemo, useSyncExternalStore } from "react";

export const tabs = ["trace", "events", "state", "questions", "runs", "team"] as const;
export type Tab = (typeof tabs)[number];

/** What the inspector shows. */
export interface Dock {
  tab: Tab;
  /** The number of a run in its thread, from 1 on; absent: the newest one. */
  run?: number | undefined;
  /** The id of an event. */
  event?: string | undefined;
}

export interface Place {
  agent: string;
  thread: string;
  /** Absent while the inspector is closed. */
  dock?: Dock | undefined;
}

/** The place a hash names, or nothing. */
export function parsePlace(hash: string): Place | undefined {
  const [path = "", query] = hash.replace(/^#/, "").split("?", 2);
  const [, route, agent, thread, ...rest] = path.split("/");
  if ((route !== "t" && route !== "inspect") || !agent || !thread || rest.length > 0) return undefined;
  try {
    const place: Place = { agent: decodeURIComponent(agent), thread: decodeURIComponent(thread) };
    const dock = parseDock(new URLSearchParams(query), route === "inspect"); // links of earlier pages
    return dock ? { ...place, dock } : place;
  } catch {
    return undefined; // a stray percent sign
  }
}

/** The agent a hash names without a thread. */
export function parseAgent(hash: string): string | undefined {
  const [, name] = /^#\/t\/([^/?]+)\/?$/.exec(hash) ?? [];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined; // a stray percent sign
  }
}

function parseDock(query: URLSearchParams, always: boolean): Dock | undefined {
  const tab = tabs.find((tab) => tab === query.get("inspect")) ?? (always || query.has("inspect") ? "events" : undefined);
  if (!tab) return undefined;
  const dock: Dock = { tab };
  const run = Number(query.get("run"));
  if (Number.isSafeInteger(run) && run > 0) dock.run = run;
  const event = query.get("event");
  if (event) dock.event = event;
  return dock;
}

export function hashOf({ agent, thread, dock }: Place): string {
  const path = `#/t/${encodeURIComponent(agent)}/${encodeURIComponent(thread)}`;
  if (!dock) return path;
  const query = new URLSearchParams({ inspect: dock.tab });
  if (dock.run !== undefined) query.set("run", String(dock.run));
  if (dock.event !== undefined) query.set("event", dock.event);
  return `${path}?${query}`;
}

/** The address of a place, to be passed on. */
export function linkTo(place: Place): string {
  const url = new URL(location.href);
  url.hash = hashOf(place);
  return url.href;
}

/** Goes to a place; replace: without a step to go back to. */
export function go(place: Place, { replace = false } = {}) {
  const url = linkTo(place);
  if (replace) location.replace(url);
  else location.assign(url);
}

/** Goes to a thread; an inspector that is open stays open. */
export function goToThread(agent: string, thread: string, options?: { replace?: boolean }) {
  const tab = parsePlace(location.hash)?.dock?.tab;
  go({ agent, thread, dock: tab && { tab } }, options);
}

/** Shows something else in the inspector, which opens if it is closed: a step to go back to is only left then. */
export function inspect(dock: Dock) {
  const place = parsePlace(location.hash);
  if (place) go({ ...place, dock }, { replace: place.dock !== undefined });
}

function subscribe(listener: () => void) {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash);

/** The place the page is at. */
export function usePlace(): Place | undefined {
  const hash = useHash();
  return useMemo(() => parsePlace(hash), [hash]);
}
