import { useMemo } from "react";
import type { Message, Run, SeenEvent, Thread, TokenUsage } from "../gateway/types";
import { inspect } from "../place";
import { inputsOf } from "./find";
import { numbered, textOf } from "./runs";
import { took } from "./trace/scale";
import { signs, statusWords } from "./trace/words";

interface Props {
  thread: Thread | undefined;
  events: readonly SeenEvent[];
}

/** The thread's runs, newest first, with what began each and what went wrong, and what they used. */
export function Runs({ thread, events }: Props) {
  const runs = useMemo(() => numbered(thread?.runs ?? []), [thread?.runs]);
  const inputs = useMemo(() => inputsOf(events), [events]);
  return (
    <div data-testid="runs">
      {runs.length === 0 ? (
        <p className="insp-quiet">No run yet.</p>
      ) : (
        <ol className="insp-runs" aria-label="Runs, newest first">
          {runs.map((run) => (
            <li key={run.number}>
              <RunItem run={run} input={inputs.get(run.runId)} />
            </li>
          ))}
        </ol>
      )}
      {thread?.usage && thread.usage.length > 0 && <Usage usage={thread.usage} />}
    </div>
  );
}

function RunItem({ run, input }: { run: Run & { number: number }; input: Message | undefined }) {
  const { number, status, startedAt, endedAt, code, message, runId } = run;
  return (
    <button type="button" className="insp-runitem" onClick={() => inspect({ tab: "trace", run: number })} title={`Show the trace of run ${number} (${runId})`} data-testid="run" data-status={status}>
      <span className="insp-runhead">
        <strong>Run {number}</strong>
        <span className={`insp-run insp-run-${status}`}>
          <span aria-hidden="true">{signs[status]}</span> {statusWords[status]}
        </span>
        <span className="insp-runtime">
          {new Date(startedAt).toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" })}
          {endedAt && ` · ${took(Date.parse(endedAt) - Date.parse(startedAt))}`}
        </span>
      </span>
      {input !== undefined && <span className="insp-runinput">{textOf(input)}</span>}
      {(message ?? code) && (
        <span className="insp-runerror">
          {message} {code && <code>{code}</code>}
        </span>
      )}
    </button>
  );
}

function Usage({ usage }: { usage: readonly TokenUsage[] }) {
  return (
    <div className="insp-table" role="region" aria-label="Tokens used" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Input</th>
            <th scope="col">Output</th>
            <th scope="col">Total tokens</th>
          </tr>
        </thead>
        <tbody>
          {usage.map((u, i) => (
            <tr key={i}>
              <td>{[u.provider, u.model].filter(Boolean).join(" ") || "–"}</td>
              <td>{count(u.inputTokens)}</td>
              <td>{count(u.outputTokens)}</td>
              <td>{count(u.totalTokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const count = (n: number | undefined) => (n === undefined ? "–" : n.toLocaleString());
