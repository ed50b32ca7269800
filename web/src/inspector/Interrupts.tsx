import { mount } from "../mount";
import { askerOf } from "client/card";
import type { Interrupt, ToolCall } from "../gateway/types";
import { Answer } from "./Answer";
import { CopyButton } from "./CopyButton";
import { resumeCurl } from "./curl";
import { Json } from "./Json";

interface Props {
  agent: string;
  thread: string;
  interrupts: readonly Interrupt[];
  /** The calls that the page is to answer. */
  waiting: readonly ToolCall[];
}

/** The open questions, to be answered, with their schemas. */
export function Interrupts({ agent, thread, interrupts, waiting }: Props) {
  return (
    <div data-testid="interrupts">
      {interrupts.length === 0 && <p className="insp-quiet">No question is open.</p>}
      {waiting.length > 0 && (
        <p className="insp-quiet" data-testid="insp-waiting">
          {waiting.length === 1 ? "A call of a page's tool needs its result" : "Calls of a page's tools need their results"}: {waiting.map((call) => call.function.name).join(", ")}. Write it in the conversation, at the call.
        </p>
      )}
      {interrupts.length > 0 && <Answer key={interrupts.map(({ id }) => id).join()} agent={agent} thread={thread} questions={interrupts} />}
      {interrupts.map((interrupt) => (
        <Facts key={interrupt.id} interrupt={interrupt} />
      ))}
      {interrupts.length > 0 && (
        <CopyButton
          small
          label="Copy an answer as curl"
          hint="Answers every question: with what is recommended, the first option, or an example; calls of tools are declined"
          text={() => resumeCurl(location.origin + mount, agent, thread, interrupts)}
          testid="copy-resume"
        />
      )}
    </div>
  );
}

function Facts({ interrupt }: { interrupt: Interrupt }) {
  const { id, reason, responseSchema, expiresAt, toolCallId } = interrupt;
  return (
    <article className="insp-question" data-testid="interrupt" aria-label={`What is known of the question ${id}`}>
      <dl className="insp-facts">
        <Fact name="reason" value={reason} />
        <Fact name="asked by" value={askerOf(interrupt) || interrupt.subagentRunId} />
        <Fact name="tool call" value={toolCallId} />
        <Fact name="expires" value={expiresAt && expiry(expiresAt)} />
        <Fact name="id" value={id} />
      </dl>
      {responseSchema && (
        <details className="insp-more">
          <summary>Schema of the answer</summary>
          <Json value={responseSchema} label="Schema of the answer" />
        </details>
      )}
      <details className="insp-more">
        <summary>The whole interrupt</summary>
        <Json value={interrupt} label="The whole interrupt" />
      </details>
    </article>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (!value) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function expiry(at: string): string {
  const text = new Date(at).toLocaleString();
  return Date.parse(at) < Date.now() ? `${text} (expired)` : text;
}
