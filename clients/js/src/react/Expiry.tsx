import { useEffect, useState } from "react";
import { gatewayNow } from "../clock.ts";

/** The countdown begins an hour before, in milliseconds. */
const SOON = 3_600_000;

/** When a question expires, by the gateway's clock, from an hour before. */
export function Expiry({ at }: { at: string | undefined }) {
  const expires = Date.parse(at ?? "");
  const [now, setNow] = useState(gatewayNow);
  useEffect(() => {
    if (Number.isNaN(expires)) return;
    const timer = setInterval(() => setNow(gatewayNow()), 1000);
    return () => clearInterval(timer);
  }, [expires]);
  const left = expires - now;
  if (!(left > 0 && left <= SOON)) return null;
  return (
    <p className="expiry" role="timer" aria-live="off" data-testid="expiry">
      Expires in {clock(left)}
    </p>
  );
}

/** Milliseconds as minutes and seconds: "0:25". */
export function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
