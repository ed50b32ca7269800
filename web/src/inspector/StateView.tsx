import { useMemo } from "react";
import { stringify } from "client/form/exact";
import { CopyButton } from "./CopyButton";
import { type Change, marks, type Version } from "./history";
import { StateTree } from "./StateTree";

interface Props {
  versions: readonly Version[];
  /** The present state, used if no version has been seen. */
  state: unknown;
  /** A delta did not fit. */
  diverged: boolean;
  /** The version to show; absent means the newest one. */
  version: number | undefined;
  onVersion: (version: number | undefined) => void;
}

/** The state document, and what the last step changed in it; all steps can be looked at again. */
export function StateView({ versions, state, diverged, version, onVersion }: Props) {
  const newest = versions.length - 1;
  const index = version === undefined ? newest : Math.min(version, newest);
  const shown = versions[index];
  const marked = useMemo(() => marks(shown?.changes ?? []), [shown]);
  const value = shown ? shown.state : state;

  const go = (i: number) => onVersion(i >= newest ? undefined : Math.max(0, i));
  return (
    <div className="insp-state">
      {versions.length > 0 && (
        <div className="insp-steps" role="group" aria-label="Steps through the state's history">
          <button type="button" className="insp-button insp-small" onClick={() => go(index - 1)} disabled={index <= 0} data-testid="state-back">
            ◀ Back
          </button>
          <input
            type="range"
            className="insp-range"
            aria-label="Version of the state"
            aria-valuetext={`version ${index + 1} of ${versions.length}`}
            min={0}
            max={newest}
            value={index}
            disabled={newest === 0}
            onChange={(e) => go(Number(e.target.value))}
          />
          <button type="button" className="insp-button insp-small" onClick={() => go(index + 1)} disabled={index >= newest} data-testid="state-forward">
            Next ▶
          </button>
          <button type="button" className="insp-button insp-small" onClick={() => onVersion(undefined)} aria-pressed={version === undefined} data-testid="state-live">
            Newest
          </button>
        </div>
      )}
      <div className="insp-count">
        <p data-testid="state-position">
          {shown ? `Version ${index + 1} of ${versions.length}: ${shown.kind === "snapshot" ? "a snapshot" : "a change"}` : "Current state"}
        </p>
        <CopyButton small label="Copy state" text={() => stringify(value, 2)} testid="copy-state" />
      </div>
      {(shown?.refused || (diverged && index === newest)) && (
        <p className="insp-problem" role="alert">
          A change did not fit this document. What is shown may differ from the gateway's state until the next snapshot.
        </p>
      )}
      {shown && <Changes changes={shown.changes} first={index === 0} />}
      <StateTree value={value} marks={marked} version={shown?.n ?? 0} />
    </div>
  );
}

const MAX_CHANGES = 30;

function Changes({ changes, first }: { changes: readonly Change[]; first: boolean }) {
  if (changes.length === 0) return <p className="insp-quiet">{first ? "First known state." : "Nothing changed."}</p>;
  return (
    <ol className="insp-changes" aria-label="What this version changed">
      {changes.slice(0, MAX_CHANGES).map((change, i) => (
        <li key={i} data-testid="state-change" data-path={change.path}>
          <span className={`insp-op insp-op-${change.op}`}>{change.op}</span> <code className="insp-path">{change.path || "(all of it)"}</code>{" "}
          <span className="insp-values">
            {change.from !== undefined && <span>from {change.from}</span>}
            {change.before !== undefined && change.op !== "add" && <del>{brief(change.before)}</del>}
            {change.after !== undefined && <ins>{brief(change.after)}</ins>}
          </span>
        </li>
      ))}
      {changes.length > MAX_CHANGES && <li className="insp-quiet">and {changes.length - MAX_CHANGES} more</li>}
    </ol>
  );
}

function brief(value: unknown): string {
  const text = stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
