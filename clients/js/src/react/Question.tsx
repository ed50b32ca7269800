import { type ReactNode, useContext, useId } from "react";
import { CardContext } from "./context.ts";
import { Seen } from "./Seen.tsx";
import { schemaOf } from "../form/index.ts";
import { approvalOf } from "../approval.ts";
import { cardOf } from "../card.ts";
import type { Interrupt } from "../types.ts";
import { ApprovalCard } from "./Approval.tsx";
import { AnswerForm } from "./AnswerForm.tsx";
import type { Decision } from "../decision.ts";
import { type Draft, optionsOf } from "../draft.ts";
import { type Fact, factsOf, same } from "../facts.ts";
import { Expiry } from "./Expiry.tsx";
import { Options } from "./Options.tsx";
import { IconCheck, IconStar } from "./icons.tsx";
import { speakerName } from "./speaker.ts";

interface Props {
  question: Interrupt;
  /** Its number, where several are open. */
  number: number | undefined;
  draft: Draft;
  busy: boolean;
  /** It has expired and cannot be answered any more: this one, or all that were open. */
  expired: "one" | "all" | undefined;
  onPick: (option: number) => void;
  onChange: (value: unknown) => void;
  onSubmit: (value: unknown) => void;
  /** Keeps a decision about a call of a tool; send: the person has made it. */
  onDecide: (decision: Decision, send: boolean) => void;
  /** What is shown below it. */
  children?: ReactNode;
}

/** One question: its options as cards, or a form made of its schema. */
export function Question({ question, number, draft, busy, expired, onPick, onChange, onSubmit, onDecide, children }: Props) {
  const { Sign } = useContext(CardContext);
  const title = useId();
  const card = cardOf(question);
  const message = card.message ?? question.message ?? "Please answer this question.";
  const options = optionsOf(question);
  const recommended = card.recommendation === undefined ? -1 : options.findIndex((option) => same(option, card.recommendation));
  const approval = approvalOf(question);
  return (
    <section className="question" aria-labelledby={title} data-testid="question" data-id={question.id} data-expired={expired}>
      <header>
        {card.agent && (
          <p className="question-agent">
            {Sign && <Sign name={card.agent} />}
            {speakerName(card.agent)} <span className="muted">{approval ? "asks for your approval" : number !== undefined && `question ${number}`}</span>
          </p>
        )}
        <h2 id={title}><Seen text={message} lines /></h2>
      </header>
      {approval ? (
        <ApprovalCard
          approval={approval}
          decision={draft.decision ?? {}}
          several={number !== undefined}
          busy={busy}
          onChange={(decision) => onDecide(decision, false)}
          onDecide={(decision) => onDecide(decision, true)}
        />
      ) : options.length > 0 ? (
        <Options
          options={options}
          chosen={draft.option}
          recommended={recommended}
          render={(option, i) => (
            <Option
              option={option}
              index={i}
              recommended={i === recommended}
              chosen={draft.option === i}
              busy={busy}
              onPick={() => onPick(i)}
            />
          )}
        />
      ) : (
        <AnswerForm
          schema={schemaOf(question)}
          value={draft.value}
          several={number !== undefined}
          busy={busy}
          onChange={onChange}
          onSubmit={onSubmit}
        />
      )}
      {!expired && <Expiry at={question.expiresAt} />}
      {expired && (
        <p className="expired" role="status" data-testid="expired">
          This question has expired. {expired === "all" && "Write a message to go on."}
        </p>
      )}
      {children}
    </section>
  );
}

interface OptionProps {
  option: unknown;
  index: number;
  recommended: boolean;
  chosen: boolean;
  busy: boolean;
  onPick: () => void;
}

function Option({ option, index, recommended, chosen, busy, onPick }: OptionProps) {
  const { title, facts } = factsOf(option, index);
  const price = facts.find(({ kind }) => kind === "price");
  const rest = facts.filter((fact) => fact !== price);
  return (
    <button
      type="button"
      className="option"
      data-testid="option"
      data-value={title}
      data-recommended={recommended || undefined}
      aria-pressed={chosen}
      disabled={busy}
      onClick={onPick}
    >
      <span className="option-head">
        <span className="option-title"><Seen text={title} /></span>
        {price && <span className="option-price"><Seen text={price.value} /></span>}
      </span>
      {rest.length > 0 && (
        <span className="facts">
          {rest.map((fact) => (
            <FactLine key={fact.label} fact={fact} />
          ))}
        </span>
      )}
      {(recommended || chosen) && (
        <span className="option-tags">
          {recommended && (
            <span className="tag recommended">
              <IconStar /> Recommended
            </span>
          )}
          {chosen && (
            <span className="tag chosen">
              <IconCheck /> Chosen
            </span>
          )}
        </span>
      )}
    </button>
  );
}

function FactLine({ fact }: { fact: Fact }) {
  return (
    <span className="fact" data-kind={fact.kind}>
      <span className="fact-label">{fact.label}</span> <span className="fact-value"><Seen text={fact.value} lines /></span>
    </span>
  );
}
