import { useEffect, useState } from "react";
import type { FollowStatus } from "../gateway/useFollow";

/** How long the gateway has to deny a thread: a first message takes a moment to make it known. */
const SURE_MS = 1000;

/** Whether the gateway no longer has a thread on which something was said. */
export function useThreadDeleted(status: FollowStatus, said: boolean, running: boolean): boolean {
  const denied = status === "unknown" && said && !running;
  const [unknown, setUnknown] = useState(false);
  useEffect(() => {
    if (!denied) {
      setUnknown(false);
      return;
    }
    const timer = setTimeout(() => setUnknown(true), SURE_MS);
    return () => clearTimeout(timer);
  }, [denied]);
  return unknown && denied;
}
