import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { GatewayError } from "../gateway/api";
import { IconClose } from "./icons";

interface Notice {
  id: number;
  kind: "error" | "info";
  text: string;
  /** The contract's code, if there is one. */
  code?: string;
}

type Notify = (notice: Omit<Notice, "id">) => void;

const Context = createContext<Notify>(() => {});

/** Shows a short message in the corner. The same one is not shown twice at once. */
export const useNotify = (): Notify => useContext(Context);

/** Runs what talks to the gateway, and shows what went wrong. Returns undefined then. */
export function useAttempt() {
  const notify = useNotify();
  return useCallback(
    async <T,>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        const code = error instanceof GatewayError && error.code ? error.code : undefined;
        notify({ kind: "error", text: `${what}: ${error instanceof Error ? error.message : String(error)}`, ...(code && { code }) });
        return undefined;
      }
    },
    [notify],
  );
}

const STAYS_MS = 9000;

export function Notices({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<Notice[]>([]);
  const next = useRef(0);
  const notify = useCallback<Notify>((notice) => {
    setNotices((all) =>
      all.some((n) => n.text === notice.text && n.code === notice.code) ? all : [...all.slice(-2), { ...notice, id: next.current++ }],
    );
  }, []);
  const dismiss = useCallback((id: number) => setNotices((all) => all.filter((n) => n.id !== id)), []);
  const list = useMemo(
    () => notices.map((notice) => <Item key={notice.id} notice={notice} onDismiss={dismiss} />),
    [notices, dismiss],
  );
  return (
    <Context value={notify}>
      {children}
      <div className="notices" aria-live="polite" aria-relevant="additions">
        {list}
      </div>
    </Context>
  );
}

function Item({ notice, onDismiss }: { notice: Notice; onDismiss: (id: number) => void }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onDismiss(notice.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [held, notice.id, onDismiss]);
  return (
    <div
      className="notice"
      data-testid="notice"
      data-kind={notice.kind}
      data-code={notice.code}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>
        {notice.text}
        {notice.code && <code>{notice.code}</code>}
      </p>
      <button type="button" className="icon-button small" aria-label="Dismiss" onClick={() => onDismiss(notice.id)}>
        <IconClose />
      </button>
    </div>
  );
}
