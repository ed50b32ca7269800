import { type FormEvent, useEffect, useReducer, useRef } from "react";
import { checked, SchemaForm } from "../form/index.ts";
import { decidesAlone } from "../draft.ts";

interface Props {
  schema: unknown;
  /** What the form holds. */
  value: unknown;
  /** Other questions are open too: there is one button for all of them. */
  several: boolean;
  busy: boolean;
  onChange: (value: unknown) => void;
  /** Sends this value. */
  onSubmit: (value: unknown) => void;
}

/** A form for a question without options. */
export function AnswerForm({ schema, value, several, busy, onChange, onSubmit }: Props) {
  const [tries, tried] = useReducer((n: number) => n + 1, 0);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tries]);
  // A single yes or no question needs no button to send it.
  const decides = !several && decidesAlone(schema);
  const change = (next: unknown) => {
    onChange(next);
    if (decides && checked(schema, next).problems.length === 0) onSubmit(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (several) return;
    if (checked(schema, value).problems.length === 0) onSubmit(value);
    else tried();
  };
  return (
    <form ref={form} className="answer" noValidate onSubmit={submit}>
      <SchemaForm schema={schema} value={value} onChange={change} disabled={busy} showProblems={tries > 0} />
      {!several && !decides && (
        <button type="submit" className="button primary" disabled={busy} data-testid="answer-send">
          Answer
        </button>
      )}
    </form>
  );
}
