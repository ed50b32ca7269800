import { type FormEvent, useId, useState } from "react";
import { type Field, problem } from "./answer";

interface Props {
  fields: Field[];
  /** What the fields hold, by their place. */
  values: Record<number, unknown>;
  /** Other questions are open too: there is one button for all of them. */
  several: boolean;
  busy: boolean;
  onChange: (values: Record<number, unknown>) => void;
  /** Sends these values. */
  onSubmit: (values: Record<number, unknown>) => void;
}

/** A form for a question without options. */
export function AnswerForm({ fields, values, several, busy, onChange, onSubmit }: Props) {
  const [tried, setTried] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const problems = fields.map((field, i) => problem(field, values[i]));
  // A single yes or no question needs no button to send it.
  const decides = !several && fields.length === 1 && fields[0]!.kind === "boolean";
  const change = (i: number, value: unknown) => {
    const next = { ...values, [i]: value };
    onChange(next);
    if (decides && value !== undefined) onSubmit(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (several) return;
    setTried(true);
    if (problems.every((p) => p === undefined)) onSubmit(values);
  };
  // The one button for all answers is disabled until they fit, so that each field has to say by itself what is wrong.
  const said = (i: number) => tried || (left.has(i) && values[i] !== undefined && values[i] !== "");
  return (
    <form className="answer" noValidate onSubmit={submit}>
      {fields.map((field, i) => (
        <Input
          key={field.key ?? i}
          field={field}
          value={values[i]}
          problem={said(i) ? problems[i] : undefined}
          busy={busy}
          onChange={(value) => change(i, value)}
          onLeave={() => setLeft((all) => new Set(all).add(i))}
        />
      ))}
      {!several && !decides && (
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
  onLeave: () => void;
}

function Input({ field, value, problem, busy, onChange, onLeave }: InputProps) {
  const id = useId();
  const note = [field.description && `${id}-d`, problem && `${id}-p`].filter(Boolean).join(" ") || undefined;
  const common = {
    id,
    className: "field",
    disabled: busy,
    "aria-describedby": note,
    "aria-invalid": problem !== undefined,
    "data-testid": "answer-field",
    onBlur: onLeave,
  };
  const text = typeof value === "string" ? value : "";
  return (
    <div className="answer-field">
      {field.kind === "boolean" ? (
        <YesOrNo field={field} value={value} note={note} busy={busy} onChange={onChange} />
      ) : (
        <>
          <label htmlFor={id}>
            {field.label}
            {!field.required && <span className="muted"> (optional)</span>}
          </label>
          {field.kind === "choice" ? (
            <select
              {...common}
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
          ) : field.kind === "list" || field.kind === "object" ? (
            <textarea
              {...common}
              rows={3}
              spellCheck={false}
              placeholder={field.kind === "list" ? '["one", "two"]' : '{"name": "value"}'}
              value={text}
              onChange={(event) => onChange(event.target.value)}
            />
          ) : (
            <input
              {...common}
              type={field.kind === "text" ? "text" : "number"}
              step={field.kind === "integer" ? 1 : "any"}
              min={field.minimum}
              max={field.maximum}
              maxLength={field.maxLength}
              value={text}
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

interface YesOrNoProps {
  field: Field;
  value: unknown;
  note: string | undefined;
  busy: boolean;
  onChange: (value: boolean | undefined) => void;
}

/** Two buttons. Where neither has to be chosen, a second click takes the choice back. */
function YesOrNo({ field, value, note, busy, onChange }: YesOrNoProps) {
  return (
    <fieldset disabled={busy} aria-describedby={note}>
      <legend>
        {field.label}
        {!field.required && <span className="muted"> (optional)</span>}
      </legend>
      <div className="row">
        {[true, false].map((choice) => (
          <button
            key={String(choice)}
            type="button"
            className="button"
            aria-pressed={value === choice}
            data-testid="option"
            data-value={choice ? "Yes" : "No"}
            onClick={() => onChange(value === choice && !field.required ? undefined : choice)}
          >
            {choice ? "Yes" : "No"}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
