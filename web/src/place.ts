// Where in the page one is lives in the location's hash, so that a reload, a bookmark and a second tab find it again:
// #/t/<agent>/<thread> is the planner, #/inspect/<agent>/<thread> the inspector of the same thread.

import { useSyncExternalStore } from "react";

export interface Place {
  view: "plan" | "inspect";
  agent: string;
  thread: string;
}

const views = { t: "plan", inspect: "inspect" } as const;

/** The place a hash names, or nothing. */
export function parsePlace(hash: string): Place | undefined {
  const [, route, agent, thread, ...rest] = hash.replace(/^#/, "").split("/");
  if (!route || !Object.hasOwn(views, route) || !agent || !thread || rest.length > 0) return undefined;
  try {
    return { view: views[route as keyof typeof views], agent: decodeURIComponent(agent), thread: decodeURIComponent(thread) };
  } catch {
    return undefined; // a stray percent sign
  }
}

export function hashOf({ view, agent, thread }: Place): string {
  return `#/${view === "plan" ? "t" : "inspect"}/${encodeURIComponent(agent)}/${encodeURIComponent(thread)}`;
}

/** Goes to a place; replace: without a step to go back to. */
export function go(place: Place, { replace = false } = {}) {
  const url = new URL(location.href);
  url.hash = hashOf(place);
  if (replace) location.replace(url);
  else location.assign(url);
}

function subscribe(listener: () => void) {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

/** The place the page is at. */
export function usePlace(): Place | undefined {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parsePlace(hash);
}
