// One reader per thread for the whole page, however many components look at it.

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState, useSyncExternalStore } from "react";
import { session } from "../session/tab";
import type { FollowStatus } from "./follow";
import { FollowStore, type Following } from "./store";

export type { Following, FollowStatus };

const Context = createContext<FollowStore | undefined>(undefined);

const held = () => session.current().wanted !== undefined;

/** Holds the readers of the components inside. */
export function FollowProvider({ children }: { children: ReactNode }) {
  const [store] = useState(() => new FollowStore(held));
  return <Context value={store}>{children}</Context>;
}

/** Ends the reader of a thread that is about to be deleted, if no component uses it any more. */
export function useForget(): (agent: string, thread: string) => void {
  const store = useContext(Context);
  return useCallback((agent, thread) => store?.forget(agent, thread), [store]);
}

/**
 * Follows a thread live. fresh: this page has just created the thread, so the gateway is not asked for it
 * until kick() says that a run begins.
 */
export function useFollow(agent: string, thread: string, { fresh = false }: { fresh?: boolean } = {}): Following {
  const store = useContext(Context);
  if (!store) throw new Error("useFollow outside of a FollowProvider");
  const entry = useMemo(() => store.entry(agent, thread, fresh), [store, agent, thread, fresh]);
  return useSyncExternalStore(entry.subscribe, entry.current);
}
