import { useId } from "react";
import { stringify } from "./exact.ts";
import { JsonText, written } from "./json.ts";
import type { Problem } from "./check.ts";

interface Props {
  label: string;
  schema: unknown;
  value: unknown;
  problems: Problem[];
  /** Why there is no form. */
  reason: string | undefined;
  disabled: boolean;
  showProblems: boolean;
  onChange: (value: JsonText) => void;
}

const MAX_SHOWN = 20_000; // characters of the schema

/** An answer written as JSON, checked against its schema as far as that can be done here. */
export function JsonEditor({ label, schema, value, problems, reason, disabled, showProblems, onChange }: Props) {
  const id = useId();
  const text = value instanceof JsonText ? value.text : written(value);
  const said = showProblems || text.trim() !== "" ? problems : [];
  const wanted = schema === undefined ? "" : stringify(schema, 2);
  return (
    <div className="schema-field">
      <label htmlFor={id}>{label}, as JSON</label>
      {reason && (
        <p className="muted" id={`${id}-about`}>
          There is no form for this answer. {reason}
        </p>
      )}
      <textarea
        id={id}
        className="field schema-json"
        rows={8}
        spellCheck={false}
        disabled={disabled}
        aria-describedby={`${id}-about ${id}-problem`}
        aria-invalid={said.length > 0}
        data-testid="answer-field"
        value={text}
        onChange={({ target }) => onChange(new JsonText(target.value))}
      />
      <div id={`${id}-problem`} role="status">
        {said.slice(0, 5).map(({ path, text: what }) => (
          <p key={path} className="problem">
            {path === "" ? what : `${path.slice(1)}: ${what}`}
          </p>
        ))}
      </div>
      {wanted && (
        <details>
          <summary>The schema of the answer</summary>
          <pre tabIndex={0}>{wanted.length > MAX_SHOWN ? `${wanted.slice(0, MAX_SHOWN)}…` : wanted}</pre>
        </details>
      )}
    </div>
  );
}
