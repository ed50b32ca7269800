import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";
import { describedBy } from "./context.ts";
import { marked, unmarked } from "./exact.ts";
import { read, written } from "./json.ts";
import { ANYTHING } from "./shown.ts";

/**
 * A part of a form that has no fields, because anything goes there, or any list or object. It is written as JSON; where anything
 * goes, invalid JSON is a text.
 */
export function JsonField({ schema, fieldPathId, formData, required, disabled, readonly, registry: _, onChange }: FieldProps) {
  const id = fieldPathId.$id;
  const [text, setText] = useState(() => textOf(formData));
  const free = (schema as Record<string, unknown>)[ANYTHING] === true;
  const said = text.trim() === "" ? undefined : read(text);
  const problem = !free && said && "problem" in said ? said.problem : undefined;
  const change = (next: string) => {
    setText(next);
    onChange(valueOf(next), fieldPathId.path);
  };
  return (
    <>
      <textarea
        id={id}
        className="field schema-json"
        rows={3}
        spellCheck={false}
        disabled={disabled || readonly}
        aria-required={required}
        aria-describedby={`${describedBy(id)} ${id}-json`}
        data-testid="answer-field"
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      <p className={problem ? "problem" : "muted"} id={`${id}-json`}>
        {problem ?? (free ? "A text, or JSON." : "Written as JSON.")}
      </p>
    </>
  );
}

function valueOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  const said = read(text);
  return "value" in said ? marked(said.value) : text;
}

/** The text that is read as the value. */
function textOf(value: unknown): string {
  return typeof value === "string" && unmarked(value) === value && "problem" in read(value) ? value : written(unmarked(value));
}
