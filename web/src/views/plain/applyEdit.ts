// Brings an edit into the thread's state, without overwriting what the person has not seen.

import { GatewayError, type PatchAnswer, type StateNow } from "../../gateway/api";
import type { PatchOperation } from "../../gateway/types";
import { conflictOf, type Edit, isDone, operationOf } from "./edit";

/** The gateway's routes, for one thread. */
export interface StateRoutes {
  read: () => Promise<StateNow>;
  patch: (operations: PatchOperation[], tag: string, key: string) => Promise<PatchAnswer>;
  /** What became of a patch that waits. */
  result: (patch: string) => Promise<PatchAnswer>;
  /** Resolves when it is time to ask again. */
  pause: () => Promise<void>;
}

interface Options {
  /** What others have changed is overwritten. */
  over: boolean;
  /** The patch waits for the end of a turn. */
  onPending: () => void;
}

/** How often the state may change between reading and writing it. */
const MAX_TRIES = 5;

/**
 * Applies the edit and returns nothing, or returns the present value if it differs from the one the person saw. It throws the gateway's errors.
 * Changes elsewhere in the state do not conflict: the patch is made again for the state as it is then.
 */
export async function applyEdit(edit: Edit, routes: StateRoutes, { over, onPending }: Options): Promise<{ now: unknown } | undefined> {
  for (let tries = 1; ; tries++) {
    const { state, tag } = await routes.read();
    if (isDone(edit, state)) return undefined;
    const conflict = over ? undefined : conflictOf(edit, state);
    if (conflict) return conflict;
    try {
      let answer = await routes.patch([operationOf(edit, state)], tag, `${edit.id}-${tries}`);
      if (answer.status === "pending") onPending();
      while (answer.status === "pending") {
        await routes.pause();
        answer = await routes.result(answer.patch);
      }
      return undefined;
    } catch (error) {
      const changed = error instanceof GatewayError && error.status === 412;
      if (!changed || tries === MAX_TRIES) throw error;
    }
  }
}
