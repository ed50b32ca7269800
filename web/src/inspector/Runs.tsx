import type { Run, RunStatus, Thread, TokenUsage } from "../gateway/types";

const signs: Record<RunStatus, string> = { running: "●", success: "✓", interrupt: "?", cancelled: "■", error: "✕" };

/** The thread's runs, newest first, and what they used. */
export function Runs({ thread }: { thread: Thread | undefined }) {
  const runs = thread?.runs ?? [];
  return (
    <div data-testid="runs">
      {runs.length === 0 ? (
        <p className="insp-quiet">No run yet.</p>
      ) : (
        <div className="insp-table" role="region" aria-label="Table of runs" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Status</th>
                <th scope="col">Run</th>
                <th scope="col">Started</th>
                <th scope="col">Took</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run, i) => (
                // A run's id is its client's word, and may be there twice.
                <tr key={`${run.startedAt} ${i}`} data-testid="run" data-status={run.status}>
                  <td>
                    <span className={`insp-run insp-run-${run.status}`}>
                      <span aria-hidden="true">{signs[run.status]}</span> {run.status}
                    </span>
                    {run.code && <code className="insp-code">{run.code}</code>}
                  </td>
                  <td className="insp-runid" title={run.runId}>
                    {run.runId}
                  </td>
                  <td title={run.startedAt}>{new Date(run.startedAt).toLocaleTimeString()}</td>
                  <td>{took(run)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {thread?.usage && thread.usage.length > 0 && <Usage usage={thread.usage} />}
    </div>
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

const count = (n: number | undefined) => (n === undefined ? "–" : n.toLocaleString("en"));

function took({ startedAt, endedAt }: Run): string {
  if (!endedAt) return "–";
  const s = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  return s < 60 ? `${s.toFixed(s < 10 ? 2 : 1)} s` : `${Math.floor(s / 60)} m ${Math.round(s % 60)} s`;
}
