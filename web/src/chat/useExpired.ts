import { useEffect, useState } from "react";
import { gatewayNow } from "client/clock";
import type { Interrupt } from "../gateway/types";

const NONE: ReadonlySet<string> = new Set();
const LONGEST_TIMER_MS = 3_600_000; // browsers' timers last at most 24 days

/** The ids of the questions that have expired by the gateway's clock. */
export function useExpired(questions: readonly Interrupt[]): ReadonlySet<string> {
  const [expired, setExpired] = useState(NONE);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const left = questions.map(({ id, expiresAt }) => ({ id, ms: Date.parse(expiresAt ?? "") - gatewayNow() }));
      const over = left.filter(({ ms }) => ms <= 0).map(({ id }) => id);
      setExpired((before) => (before.size === over.length && over.every((id) => before.has(id)) ? before : new Set(over)));
      const next = Math.min(...left.map(({ ms }) => (ms > 0 ? ms : Infinity)));
      if (next < Infinity) timer = setTimeout(look, Math.min(next, LONGEST_TIMER_MS));
    };
    look();
    return () => clearTimeout(timer);
  }, [questions]);
  return expired;
}
