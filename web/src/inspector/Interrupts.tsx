import { mount } from "../mount";
import { askerOf, cardOf } from "../gateway/card";
import type { Interrupt } from "../gateway/types";
import { CopyButton } from "./CopyButton";
import { resumeCurl } from "./curl";
import { Json } from "./Json";

interface Props {
  agent: string;
  thread: string;
  interrupts: readonly Interrupt[];
}

/** The open questions with their schemas. */
export function Interrupts({ agent, thread, interrupts }: Props) {
  return (
    <div data-testid="interrupts">
      {interrupts.length === 0 && <p className="insp-quiet">No question is open.</p>}
      {interrupts.map((interrupt) => (
        <Question key={interrupt.id} interrupt={interrupt} />
      ))}
      {interrupts.length > 0 && (
        <CopyButton
          small
          label="Copy an answer as curl"
          hint="Answers every question: with what is recommended, the first option, or an example"
          text={() => resumeCurl(location.origin + mount, agent, thread, interrupts)}
          testid="copy-resume"
        />
      )}
    </div>
  );
}

function Question({ interrupt }: { interrupt: Interrupt }) {
  const { id, reason, message, responseSchema, expiresAt, toolCallId } = interrupt;
  const card = cardOf(interrupt);
  const recommended = JSON.stringify(sorted(card.recommendation));
  return (
    <article className="insp-question" data-testid="interrupt">
      <p className="insp-message">{message ?? card.message ?? reason}</p>
      {card.options && (
        <ol className="insp-options" aria-label="Options">
          {card.options.map((option, i) => (
            <li key={i}>
              <Option value={option} />
              {card.recommendation !== undefined && JSON.stringify(sorted(option)) === recommended && <span className="insp-mark">recommended</span>}
            </li>
          ))}
        </ol>
      )}
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

function Option({ value }: { value: unknown }) {
  if (typeof value !== "object" || value === null) return <span>{typeof value === "string" ? value : JSON.stringify(value)}</span>;
  const [first, ...rest] = Object.values(value).filter((v) => typeof v === "string" || typeof v === "number");
  if (first === undefined) return <code>{JSON.stringify(value)}</code>;
  return (
    <span>
      <strong>{first}</strong> {rest.join(" · ")}
    </span>
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

// Equal documents may have their members in another order.
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
