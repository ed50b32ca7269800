// The session of this tab.

import { useSyncExternalStore } from "react";
import { mount } from "../mount";
import { guard } from "./guard";
import { type Seen, Session } from "./session";

/** What outlives a reload of this tab, and not the tab. */
export function storage(): Storage | undefined {
  try {
    return sessionStorage; // a copy of it goes with a tab that is duplicated, and nothing of it to a new one
  } catch {
    return undefined; // forbidden
  }
}

// The page is loaded anew and not only shown anew, so that it has nothing in memory of whoever it was. The address names no thread of
// theirs, and a page that the browser has kept for its Back button is not shown.
function restart() {
  history.replaceState(null, "", location.pathname);
  location.reload();
}

// Who signs out is signed out of every tab of this browser: a duplicated one has a copy of the key.
let others: BroadcastChannel | undefined;

const send = fetch.bind(globalThis);

export const session = new Session({ fetch: send, storage: storage(), restart });

/** Sends all requests of this page through the session: CopilotKit has no hook for what its own are answered. */
export function guardRequests() {
  globalThis.fetch = guard(send, session, location.origin + mount);
  others = new BroadcastChannel("session");
  others.addEventListener("message", ({ data }) => data !== undefined && data === session.owner && session.signOut());
}

export function signOut() {
  others?.postMessage(session.owner);
  session.signOut();
}

/** The session as it is now. */
export const useSession = (): Seen => useSyncExternalStore(session.subscribe, session.current);
