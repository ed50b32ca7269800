import { markFresh } from "./fresh";
import { newID } from "./id";
import { goToThread } from "./place";

/** Goes to a thread that does not exist yet; replace: without a step back to where one was. */
export function startThread(agent: string, options?: { replace?: boolean }) {
  const thread = newID();
  markFresh(thread);
  goToThread(agent, thread, options);
}
