import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Seen } from "client/react/Seen";
import { visible } from "client/form/visible";
import type { RememberedApproval } from "../gateway/types";

interface Props {
  approval: RememberedApproval;
  onRevoke: (approval: RememberedApproval) => Promise<void>;
}

/** One approval: what it covers, since when and how long, and how it is revoked. */
export function RememberedItem({ approval, onRevoke }: Props) {
  const [step, setStep] = useState<"show" | "confirm" | "revoking">("show");
  const [problem, setProblem] = useState("");
  const revoke = useRef<HTMLButtonElement>(null);
  const { id, tool, agent, participant, createdAt, expiresAt } = approval;

  const keep = () => {
    flushSync(() => setStep("show"));
    revoke.current?.focus();
  };
  const confirmed = async () => {
    setStep("revoking");
    setProblem("");
    try {
      await onRevoke(approval);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      keep();
    }
  };
  return (
    <li className="remembered" data-testid="remembered" data-id={id} data-tool={tool} data-scope={approval.scope}>
      <div>
        <p>
          <code><Seen text={tool} /></code>
        </p>
        <p className="muted">
          Called by {visible(agent)}
          {participant && ` (${visible(participant)})`}. Approved <time dateTime={createdAt}>{day(createdAt)}</time>, ends <time dateTime={expiresAt}>{day(expiresAt)}</time>.
        </p>
        {problem !== "" && (
          <p className="problem" role="alert">
            It could not be revoked: {problem}
          </p>
        )}
      </div>
      {step === "show" ? (
        <button type="button" className="button small" ref={revoke} aria-label={`Revoke ${visible(tool)}`} data-testid="revoke" onClick={() => setStep("confirm")}>
          Revoke
        </button>
      ) : (
        <div className="row" role="group" aria-label={`Revoke the approval of ${visible(tool)}?`}>
          <span>Ask again from now on?</span>
          <button type="button" className="button small danger" autoFocus disabled={step === "revoking"} data-testid="revoke-yes" onClick={() => void confirmed()}>
            Revoke
          </button>
          <button type="button" className="button small quiet" disabled={step === "revoking"} data-testid="revoke-no" onClick={keep}>
            Keep
          </button>
        </div>
      )}
    </li>
  );
}

const day = (time: string): string => new Date(time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
