import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { GatewayError, ready } from "../gateway/api";
import { useSession } from "../session/tab";
import { Calm } from "./calm";

export interface Connection {
  /** The gateway does not answer, or says that it is not able to serve. */
  away: boolean;
  /** Grows when the gateway is back, or was there after all: whatever broke may be tried again. */
  epoch: number;
  /**
   * Something failed that could be the gateway being away: find out. cause is the error it failed with; if it is not caught
   * one elsewhere too, it is no mistake of the page's.
   */
  suspect: (cause?: unknown) => void;
}

const Context = createContext<Connection>({ away: false, epoch: 0, suspect: () => {} });

export const useConnection = (): Connection => useContext(Context);

const PAUSES_MS = [500, 1000, 2000, 3000, 5000];

/** Knows whether the gateway is there. It asks only when somebody has a reason to doubt it. */
export function ConnectionProvider({ children }: { children: ReactNode }) {
  const [away, setAway] = useState(false);
  const [epoch, setEpoch] = useState(0);
  const asking = useRef(false);
  const hurry = useRef<(() => void) | undefined>(undefined);

  const calm = useRef(new Calm());
  const causes = useRef(new WeakSet<object>());

  const suspect = useCallback((cause?: unknown) => {
    if (cause instanceof Error) causes.current.add(cause);
    if (cause instanceof GatewayError && cause.status >= 400 && cause.status < 500) return; // it is there, and has said no
    if (asking.current) return;
    asking.current = true;
    void (async () => {
      let tries = 0;
      for (; !(await ready()); tries++) {
        setAway(true);
        await pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]!, hurry);
      }
      const ms = tries === 0 ? calm.current.next(Date.now()) : 0; // it was not away, so something else is wrong
      if (ms > 0) await pause(ms, hurry);
      asking.current = false;
      setAway(false);
      setEpoch((n) => n + 1);
    })();
  }, []);

  useEffect(() => {
    const online = () => hurry.current?.();
    const offline = () => suspect();
    // A connection that breaks or is given up rejects a second promise of CopilotKit's without a handler. What else
    // is not caught is a mistake, and belongs in the console.
    const uncaught = (event: PromiseRejectionEvent) => {
      const { reason } = event;
      if (reason instanceof Error && (causes.current.has(reason) || reason.name === "AbortError")) event.preventDefault();
    };
    addEventListener("online", online);
    addEventListener("offline", offline);
    addEventListener("unhandledrejection", uncaught);
    return () => {
      removeEventListener("online", online);
      removeEventListener("offline", offline);
      removeEventListener("unhandledrejection", uncaught);
    };
  }, [suspect]);

  const connection = useMemo(() => ({ away, epoch, suspect }), [away, epoch, suspect]);
  return <Context value={connection}>{children}</Context>;
}

function pause(ms: number, hurry: { current: (() => void) | undefined }): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      hurry.current = undefined;
      resolve();
    }
    hurry.current = done;
  });
}

/** Says that the gateway is away, or has too much to do, for as long as it is so. */
export function Banner() {
  const { away } = useConnection();
  const { pausing } = useSession();
  return (
    <div role="status" aria-live="polite">
      {away && (
        <div className="banner" data-testid="banner">
          <span className="banner-dot" aria-hidden="true" />
          <strong>Can't reach the gateway.</strong>
          <span>Reconnecting… Nothing on this page is lost.</span>
        </div>
      )}
      {!away && pausing > 0 && (
        <div className="banner" data-testid="banner-busy">
          <span className="banner-dot" aria-hidden="true" />
          <strong>Too many requests at once.</strong>
          <span>The page goes on in a moment. Nothing on it is lost.</span>
        </div>
      )}
    </div>
  );
}
