import { useEffect, useId, useRef, useState } from "react";
import { visible } from "client/form/visible";
import { isFresh } from "../fresh";
import { GatewayError, myApprovals, revokeApproval, threadApprovals } from "../gateway/api";
import type { RememberedApproval } from "../gateway/types";
import type { Place } from "../place";
import { useSession } from "../session/tab";
import { IconClose } from "../shell/icons";
import { closeApprovals } from "./open";
import { RememberedItem } from "./RememberedItem";
import "./approvals.css";

/** What a person has approved of for later calls, in this conversation and always: to be looked at, and to be revoked. */
export default function Approvals({ place }: { place: Place | undefined }) {
  const { list, problem, load, forget } = useRemembered(place);
  const [told, setTold] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { me } = useSession();
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);

  const revoke = async (approval: RememberedApproval) => {
    setTold("");
    await revokeApproval(approval);
    forget(approval.id);
    setTold(`Revoked: ${visible(approval.tool)}. Each further call asks again.`);
    close.current?.focus(); // the item in hand is gone
  };
  const sections = [
    { name: "In this conversation", none: "Nothing is remembered in this conversation.", items: list?.filter(({ scope }) => scope === "thread") },
    { name: "Always", none: "Nothing is remembered for all of your conversations.", items: list?.filter(({ scope }) => scope !== "thread") },
  ];
  return (
    <dialog ref={dialog} className="approvals" aria-labelledby={id} data-testid="approvals" onClose={closeApprovals}>
      <header className="row">
        <h2 id={id}>Remembered approvals</h2>
        <button type="button" className="icon-button" ref={close} aria-label="Close" data-testid="approvals-close" onClick={() => dialog.current?.close()}>
          <IconClose />
        </button>
      </header>
      <p className="muted">
        Calls of these tools are made without asking you. {me?.auth === "none" && "Nobody signs in here, so what is always approved counts for everybody who uses this gateway."}
      </p>
      {problem && (
        <p className="refusal" role="alert" data-testid="approvals-problem">
          The approvals could not be loaded: {problem}{" "}
          <button type="button" className="button small" onClick={load}>
            Try again
          </button>
        </p>
      )}
      {!list && !problem && <p aria-busy="true">Loading…</p>}
      {list &&
        sections.map(({ name, none, items = [] }) => (
          <section key={name} aria-label={name}>
            <h3>{name}</h3>
            {items.length === 0 && <p className="muted">{none}</p>}
            <ul>
              {items.map((approval) => (
                <RememberedItem key={approval.id} approval={approval} onRevoke={revoke} />
              ))}
            </ul>
          </section>
        ))}
      <p className="approvals-told" role="status">
        {told}
      </p>
    </dialog>
  );
}

/** The approvals that count at a place, once they are known; or why they are not. */
function useRemembered(place: Place | undefined) {
  const [list, setList] = useState<RememberedApproval[]>();
  const [problem, setProblem] = useState("");
  const [tries, setTries] = useState(0);
  const { agent, thread } = place ?? {};
  useEffect(() => {
    const abort = new AbortController();
    setProblem("");
    Promise.all([agent && thread ? ofThread(thread, agent, abort.signal) : [], myApprovals(abort)]).then(
      ([here, always]) => setList([...here, ...always]),
      (error: unknown) => abort.signal.aborted || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => abort.abort();
  }, [agent, thread, tries]);
  const forget = (id: string) => setList((all) => all?.filter((approval) => approval.id !== id));
  return { list, problem, load: () => setTries((n) => n + 1), forget };
}

/** A thread that the gateway does not know, because nothing was said on it yet, has none. */
async function ofThread(thread: string, agent: string, signal: AbortSignal): Promise<RememberedApproval[]> {
  if (isFresh(thread)) return [];
  try {
    return await threadApprovals(thread, agent, { signal });
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return [];
    throw error;
  }
}
