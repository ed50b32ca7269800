import { type FormEvent, useId, useState } from "react";
import { type Field, payloadOf, problem } from "./answer";

interface Props {
  fields: Field[];
  /** Other questions are open too: this answer is kept until all are there. */
  several: boolean;
  answered: boolean;
  busy: boolean;
  onAnswer: (payload: unknown) => void;
}

/** A form for a question without options. */
export function AnswerForm({ fields, several, answered, busy, onAnswer }: Props) {
  const [values, setValues] = useState<Record<number, unknown>>({});
  const [shown, setShown] = useState(false);
  const problems = fields.map((field, i) => problem(field, values[i]));
  const bad = problems.some((p) => p !== undefined);
  const change = (i: number, value: unknown) => {
    const next = { ...values, [i]: value };
    setValues(next);
    // One of several answers counts as soon as it is whole: there is one button for all of them.
    if (several && fields.every((field, j) => problem(field, next[j]) === undefined)) onAnswer(payloadOf(fields, next));
    // Yes or no alone is an answer.
    else if (!several && fields.length === 1 && fields[0]!.kind === "boolean") onAnswer(payloadOf(fields, next));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShown(true);
    if (!bad) onAnswer(payloadOf(fields, values));
  };
  const alone = !several && !(fields.length === 1 && fields[0]!.kind === "boolean");
  return (
    <form className="answer" noValidate onSubmit={submit} data-answered={answered || undefined}>
      {fields.map((field, i) => (
        <Input key={field.key ?? i} field={field} value={values[i]} problem={shown ? problems[i] : undefined} busy={busy} onChange={(value) => change(i, value)} />
      ))}
      {alone && (
        <button type="submit" className="button primary" disabled={busy} data-testid="answer-send">
          Answer
        </button>
      )}
    </form>
  );
}

interface InputProps {
  field: Field;
  value: unknown;
  problem: string | undefined;
  busy: boolean;
  onChange: (value: unknown) => void;
}

function Input({ field, value, problem, busy, onChange }: InputProps) {
  const id = useId();
  const note = [field.description && `${id}-d`, problem && `${id}-p`].filter(Boolean).join(" ") || undefined;
  const common = { id, disabled: busy, "aria-describedby": note, "aria-invalid": problem !== undefined, "data-testid": "answer-field" };
  return (
    <div className="answer-field">
      {field.kind === "boolean" ? (
        <fieldset disabled={busy} aria-describedby={note}>
          <legend>{field.label}</legend>
          <div className="row">
            {[true, false].map((choice) => (
              <button
                key={String(choice)}
                type="button"
                className="button"
                aria-pressed={value === choice}
                data-testid="option"
                data-value={choice ? "Yes" : "No"}
                onClick={() => onChange(choice)}
              >
                {choice ? "Yes" : "No"}
              </button>
            ))}
          </div>
        </fieldset>
      ) : (
        <>
          <label htmlFor={id}>
            {field.label}
            {!field.required && <span className="muted"> (optional)</span>}
          </label>
          {field.kind === "choice" ? (
            <select
              {...common}
              className="field"
              value={field.choices.findIndex((choice) => choice === value)}
              onChange={(event) => onChange(field.choices[Number(event.target.value)])}
            >
              <option value={-1}>Choose…</option>
              {field.choices.map((choice, i) => (
                <option key={i} value={i}>
                  {String(choice)}
                </option>
              ))}
            </select>
          ) : (
            <input
              {...common}
              className="field"
              type={field.kind === "text" ? "text" : "number"}
              step={field.kind === "integer" ? 1 : "any"}
              min={field.minimum}
              max={field.maximum}
              maxLength={field.maxLength}
              value={typeof value === "string" ? value : ""}
              onChange={(event) => onChange(event.target.value)}
            />
          )}
        </>
      )}
      {field.description && (
        <p className="muted" id={`${id}-d`}>
          {field.description}
        </p>
      )}
      {problem && (
        <p className="problem" id={`${id}-p`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
