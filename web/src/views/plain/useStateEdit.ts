import { useEffect, useRef, useState } from "react";
import { useDraft } from "../../drafts";
import { GatewayError, getState, patchResult, patchState } from "../../gateway/api";
import { applyEdit, type StateRoutes } from "./applyEdit";
import type { Edit } from "./edit";

/** How long a patch that waits for a turn is left alone. */
const PAUSE_MS = 1000;

/** How far an edit has come. The input is kept until it is in the state, or discarded. */
export type Phase =
  | { name: "writing" }
  | { name: "saving" }
  | { name: "pending" }
  | { name: "conflict"; now: unknown }
  | { name: "refused"; text: string; code: string };

const refusals: Record<string, string> = {
  forbidden: "This part of the state may not be changed from here. The agent's author decides which parts may.",
  not_found: "The gateway does not have this conversation yet. Write a message first.",
  patch_failed: "The state has another shape now, and this has no place in it any more.",
  state_changed: "The state keeps changing. Save again when the agent is done.",
  too_large: "This would make the state larger than it may be.",
};

/** The one edit of a thread's state that is being made. */
export function useStateEdit(agent: string, thread: string) {
  const [edit, setEdit] = useDraft<Edit | undefined>(`state ${agent}/${thread}`, undefined);
  const [phase, setPhase] = useState<Phase>({ name: "writing" });
  const request = useRef<AbortController>(undefined);
  useEffect(() => () => request.current?.abort(), []);

  const write = (next: Edit | undefined) => {
    request.current?.abort();
    setPhase({ name: "writing" });
    setEdit(next);
  };
  /** Brings it into the state; over: also where somebody else has changed the same. */
  const save = async (edit: Edit, over = false): Promise<void> => {
    request.current?.abort();
    const { signal } = (request.current = new AbortController());
    setPhase({ name: "saving" });
    try {
      const conflict = await applyEdit(edit, routesOf(agent, thread, signal), { over, onPending: () => setPhase({ name: "pending" }) });
      if (signal.aborted) return;
      if (conflict) setPhase({ name: "conflict", ...conflict });
      else write(undefined);
    } catch (error) {
      if (signal.aborted) return;
      const { code, message } = error instanceof GatewayError ? error : { code: "", message: String(error) };
      setPhase({ name: "refused", code, text: refusals[code] ?? message });
    }
  };
  return { edit, phase, write, save };
}

function routesOf(agent: string, thread: string, signal: AbortSignal): StateRoutes {
  return {
    read: () => getState(thread, agent, { signal }),
    patch: (operations, tag, key) => patchState(thread, agent, operations, tag, key, { signal }),
    result: (patch) => patchResult(thread, agent, patch, { signal }),
    pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
  };
}
