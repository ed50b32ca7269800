import { type ReactNode, useId } from "react";
import { cardOf } from "../gateway/card";
import type { Interrupt } from "../gateway/types";
import { IconCheck, IconStar } from "../shell/icons";
import { fieldsOf } from "./answer";
import { AnswerForm } from "./AnswerForm";
import { type Draft, optionsOf } from "./draft";
import { type Fact, factsOf, same } from "./facts";
import { speakerName, SpeakerSign } from "./Speaker";

interface Props {
  question: Interrupt;
  /** Its number, where several are open. */
  number: number | undefined;
  draft: Draft;
  busy: boolean;
  /** It has expired and cannot be answered any more. */
  expired: boolean;
  onPick: (option: number) => void;
  onChange: (values: Draft["values"]) => void;
  onSubmit: (values: Draft["values"]) => void;
  /** What is to be said below it. */
  children: ReactNode;
}

/** One question: its options as cards, or a form made of its schema. */
export function Question({ question, number, draft, busy, expired, onPick, onChange, onSubmit, children }: Props) {
  const title = useId();
  const card = cardOf(question);
  const message = card.message ?? question.message ?? "Please answer this question.";
  const options = optionsOf(question);
  return (
    <section className="question" aria-labelledby={title} data-testid="question" data-id={question.id}>
      <header>
        {card.agent && (
          <p className="question-agent">
            <SpeakerSign name={card.agent} />
            {speakerName(card.agent)} {number !== undefined && <span className="muted">question {number}</span>}
          </p>
        )}
        <h2 id={title}>{message}</h2>
      </header>
      {options.length > 0 ? (
        <ul className="options" data-compact={options.every((option) => typeof option !== "object") || undefined}>
          {options.map((option, i) => (
            <li key={i}>
              <Option
                option={option}
                index={i}
                recommended={card.recommendation !== undefined && same(option, card.recommendation)}
                chosen={draft.option === i}
                busy={busy}
                onPick={() => onPick(i)}
              />
            </li>
          ))}
        </ul>
      ) : (
        <AnswerForm
          fields={fieldsOf(question.responseSchema)}
          values={draft.values}
          several={number !== undefined}
          busy={busy}
          onChange={onChange}
          onSubmit={onSubmit}
        />
      )}
      {expired && (
        <p className="expired" role="status" data-testid="expired">
          This question has expired. Write a message to go on.
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
        <span className="option-title">{title}</span>
        {price && <span className="option-price">{price.value}</span>}
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
      <span className="fact-label">{fact.label}</span> <span className="fact-value">{fact.value}</span>
    </span>
  );
}
