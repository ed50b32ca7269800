import type { ReactNode } from "react";
import type { Step, Trace } from "../../gateway/types";
import { IconClose } from "../../shell/icons";
import { CopyButton } from "../CopyButton";
import { price, took } from "./scale";
import { durationOf, kindOf, nameOf } from "./words";

interface Props {
  step: Step;
  trace: Trace;
  now: number;
  onClose: () => void;
  /** What can be done about it. */
  children: ReactNode;
}

/** All that is known of a step. */
export function StepDetail({ step, trace, now, onClose, children }: Props) {
  const { kind, start, firstToken, provider, model, usage, cost, attempt, code, messageId, toolCallId, interruptId, subagentRunId } = step;
  const over = trace.endedAt !== undefined;
  return (
    <section className="step" aria-label={`Step ${nameOf(step)}`} data-testid="step-detail" data-step={step.id}>
      <header>
        <h3>
          <span className="wf-kind" data-kind={kind} aria-hidden="true" /> {nameOf(step)} <span className="step-kind">{kindOf(step)}</span>
        </h3>
        <button type="button" className="insp-icon" aria-label="Close the details of the step" title="Close" onClick={onClose}>
          <IconClose />
        </button>
      </header>
      {code && (
        <p className="step-code" role="note">
          Failed: <code>{code}</code>
        </p>
      )}
      <dl className="step-facts">
        <Fact name="Began">
          <time dateTime={new Date(start).toISOString()}>{new Date(start).toLocaleTimeString()}</time>, {start < trace.startedAt ? `${took(trace.startedAt - start)} before the run` : `${took(start - trace.startedAt)} into the run`}
        </Fact>
        <Fact name={kind === "question" ? "Waited" : "Took"}>{durationOf(step, { now, over })}</Fact>
        <Fact name="First token">{firstToken !== undefined && `after ${took(firstToken - start)}`}</Fact>
        <Fact name="Attempt">{attempt !== undefined && attempt > 1 && attempt}</Fact>
        <Fact name="Model">{[provider, model].filter(Boolean).join(" / ")}</Fact>
        <Fact name="Input tokens">{usage && (usage.inputTokens ?? 0).toLocaleString() + (usage.cachedInputTokens ? ` (${usage.cachedInputTokens.toLocaleString()} cached)` : "")}</Fact>
        <Fact name="Output tokens">{usage && (usage.outputTokens ?? 0).toLocaleString() + (usage.reasoningTokens ? ` (${usage.reasoningTokens.toLocaleString()} reasoning)` : "")}</Fact>
        <Fact name="Cost">{cost !== undefined && price(cost)}</Fact>
        <Fact name="Message" id>{messageId}</Fact>
        <Fact name="Tool call" id>{toolCallId}</Fact>
        <Fact name="Question" id>{interruptId}</Fact>
        <Fact name="Subagent run" id>{subagentRunId}</Fact>
      </dl>
      <div className="step-actions">
        {children}
        <CopyButton small label="Copy JSON" text={() => JSON.stringify(step, null, 2)} />
      </div>
    </section>
  );
}

function Fact({ name, id = false, children }: { name: string; id?: boolean; children: ReactNode }) {
  if (children === undefined || children === false || children === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{id ? <code>{children}</code> : children}</dd>
    </div>
  );
}
