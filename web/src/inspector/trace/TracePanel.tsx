import { type ReactNode, useMemo } from "react";
import type { Run, SeenEvent, Step, Thread } from "../../gateway/types";
import type { Following } from "../../gateway/useFollow";
import { inspect } from "../../place";
import { select, type Selection, useSelection } from "../../selection";
import { eventsOf, inputsOf, type Said, saidAt, saidIn, stepSaying } from "../find";
import { numbered, textOf } from "../runs";
import { stepOf } from "./lines";
import { price, took, tokens } from "./scale";
import { StepDetail } from "./StepDetail";
import { useGatewayTime, useTrace } from "./useTrace";
import { Waterfall } from "./Waterfall";
import { legend, statusWords } from "./words";
import "./trace.css";

interface Props {
  agent: string;
  thread: string;
  known: Thread | undefined;
  following: Following;
  events: readonly SeenEvent[];
  /** The number of the run to show; absent: the newest. */
  run: number | undefined;
  /** What can be done about the run, and about a step of it. */
  actions: (run: Run & { number: number }) => ReactNode;
  stepActions: (step: Step, run: Run & { number: number }) => ReactNode;
}

/** One run as it went, or goes: its steps in time. */
export function TracePanel({ agent, thread, known, following, events, run: wanted, actions, stepActions }: Props) {
  const runs = useMemo(() => numbered(known?.runs ?? []), [known?.runs]);
  const run = wanted === undefined ? runs[0] : runs.find(({ number }) => number === wanted);
  const { trace, problem } = useTrace(agent, thread, run, run === runs[0], following);
  const selection = useSelection();
  const running = run?.status === "running";
  const now = useGatewayTime(running, following);
  if (!run) {
    return <p className="insp-empty">{wanted === undefined ? "No run yet. Its steps appear here as they happen." : `This conversation has no run ${wanted}.`}</p>;
  }
  const steps = trace?.steps ?? [];
  const own = eventsOf(events, run.runId);
  const said = saidIn(own);
  const input = inputsOf(own).get(run.runId);
  const begun = input !== undefined && selection?.messageId === input.id ? steps.find(({ kind }) => kind === "run") : undefined;
  const chosen = selection && (selection.step?.run === run.number ? steps.find(({ id }) => id === selection.step?.id) : (begun ?? stepFor(steps, selection, said)));
  const choose = (step: Step | undefined) => {
    const { id = "", toolCallId, interruptId, subagentRunId } = step ?? {};
    select(step && { from: "inspector", messageId: saidAt(steps, step, said), toolCallId, interruptId, subagentRunId, step: { run: run.number, id } });
  };
  return (
    <div className="trace" data-testid="trace" data-run={run.number} data-status={run.status}>
      <div className="trace-head">
        <label className="insp-field">
          <span className="insp-unseen">Run</span>
          <select value={run.number} onChange={(event) => inspect({ tab: "trace", run: Number(event.target.value) })} data-testid="trace-run">
            {runs.map(({ number, status, startedAt }) => (
              <option key={number} value={number}>
                Run {number} · {statusWords[status]} · {new Date(startedAt).toLocaleTimeString()}
              </option>
            ))}
          </select>
        </label>
        {actions(run)}
      </div>
      {input && (
        <p className="trace-input" data-testid="trace-input">
          <span className="insp-quiet">Input</span> {textOf(input)}
        </p>
      )}
      {run.status === "error" && (
        <p className="trace-error" data-testid="trace-error">
          <strong>This run failed.</strong> {run.message} {run.code && <code>{run.code}</code>}
        </p>
      )}
      {trace && (
        <>
          <Summary steps={steps} cost={trace.cost} duration={(trace.endedAt ?? now) - trace.startedAt} />
          <Waterfall trace={trace} now={now} selected={chosen?.id} onSelect={choose} />
          {trace.more && <p className="trace-more">This run had more steps than are kept; the first ones are shown.</p>}
          {chosen && (
            <StepDetail step={chosen} trace={trace} now={now} onClose={() => choose(undefined)}>
              {stepActions(chosen, run)}
            </StepDetail>
          )}
          <ul className="trace-legend" aria-hidden="true">
            {legend.map(([kind, label]) => (
              <li key={kind}>
                <span className="wf-kind" data-kind={kind} /> {label}
              </li>
            ))}
          </ul>
        </>
      )}
      {problem && (
        <p className="insp-empty" role="status" data-testid="trace-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

function stepFor(steps: readonly Step[], selection: Selection, said: readonly Said[]): Step | undefined {
  const own = said.find(({ messageId }) => messageId === selection.messageId);
  return stepOf(steps, { ...selection, subagentRunId: undefined }) ?? (own ? stepSaying(steps, own) : stepOf(steps, selection));
}

function Summary({ steps, cost, duration }: { steps: readonly Step[]; cost: number | undefined; duration: number }) {
  const count = (kind: string) => steps.filter((step) => step.kind === kind).length;
  const { input, output } = tokens(steps.flatMap(({ usage }) => (usage ? [usage] : [])));
  const began = Math.min(...steps.map(({ start }) => start));
  const first = Math.min(...steps.map(({ firstToken }) => firstToken ?? Infinity));
  const failed = steps.filter(({ code }) => code !== undefined).length;
  return (
    <dl className="trace-summary" data-testid="trace-summary">
      <Figure name="Duration">{took(Math.max(0, duration))}</Figure>
      {first < Infinity && <Figure name="First token">{took(first - began)}</Figure>}
      <Figure name="Turns">{count("turn")}</Figure>
      {count("model") > 0 && <Figure name="Model calls">{count("model")}</Figure>}
      {count("tool") > 0 && <Figure name="Tool calls">{count("tool")}</Figure>}
      {input + output > 0 && (
        <Figure name="Tokens">
          {input.toLocaleString()} → {output.toLocaleString()}
        </Figure>
      )}
      {cost !== undefined && <Figure name="Cost">{price(cost)}</Figure>}
      {failed > 0 && <Figure name="Failed steps" bad>{failed}</Figure>}
    </dl>
  );
}

function Figure({ name, bad = false, children }: { name: string; bad?: boolean; children: ReactNode }) {
  return (
    <div data-bad={bad || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
