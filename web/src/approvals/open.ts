// Whether the list of remembered approvals lies over the page.

import { useSyncExternalStore } from "react";

let open = false;
const listeners = new Set<() => void>();

function set(next: boolean) {
  open = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const openApprovals = () => set(true);

export const closeApprovals = () => set(false);

export const useApprovalsOpen = (): boolean => useSyncExternalStore(subscribe, () => open);
