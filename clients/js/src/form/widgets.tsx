// The controls of a form: native ones, for what browsers have one for.

import type { WidgetProps } from "@rjsf/utils";
import { useState } from "react";
import { describedBy } from "./context.ts";
import { shownNumber } from "./exact.ts";
import { FileWidget } from "./FileWidget.tsx";
import { fromLocal, toLocal } from "./moment.ts";
import { ALTERNATIVE } from "./shown.ts";
import { visible } from "./visible.ts";

const LONG = 200; // characters; a text that may be longer gets more than a line
const LINES = new Set(["textarea", "multiline", "markdown", "html"]);
const KINDS: Record<string, string> = { date: "date", "date-time": "datetime-local", time: "time", email: "email", uri: "url", url: "url", password: "password", color: "color" };

/** A text, a number, a date, a time or an address. */
function TextWidget({ id, schema, label, value, required, disabled, readonly, rawErrors, onChange }: WidgetProps) {
  const number = schema.type === "number" || schema.type === "integer";
  const format = String(schema.format ?? "");
  const common = {
    id,
    className: "field",
    disabled: disabled || readonly,
    "aria-label": ALTERNATIVE in schema ? label : undefined,
    "aria-required": required,
    "aria-describedby": describedBy(id),
    "aria-invalid": (rawErrors?.length ?? 0) > 0,
    "data-testid": "answer-field",
  };
  const text = shownNumber(value);
  const [lines] = useState(LINES.has(format) || (schema.maxLength ?? 0) > LONG || text.includes("\n")); // it stays what it is while one writes
  const seen = visible(text, { lines: true });
  const note = seen !== text && (
    <p className="muted" data-testid="unseen">
      Not all of its characters can be seen in the field: {seen}
    </p>
  );
  if (!number && lines) {
    return (
      <>
        <textarea {...common} rows={4} maxLength={schema.maxLength} value={text} onChange={({ target }) => onChange(target.value || undefined)} />
        {note}
      </>
    );
  }
  return (
    <>
      <input
        {...common}
        type={number ? "number" : (KINDS[format] ?? "text")}
        {...(number && { step: schema.multipleOf ?? (schema.type === "integer" ? 1 : "any"), min: shownNumber(schema.minimum), max: shownNumber(schema.maximum) })}
        {...(format.includes("time") && { step: 1 })}
        maxLength={number ? undefined : schema.maxLength}
        value={toLocal(format, text)}
        onChange={({ target }) => onChange(target.value === "" ? undefined : fromLocal(format, target.value))}
      />
      {note}
    </>
  );
}

/** One of some values. */
function SelectWidget(props: WidgetProps) {
  const { id, schema, label, multiple, options, value, required, disabled, readonly, rawErrors, onChange } = props;
  const choices = options.enumOptions ?? [];
  const chosen = choices.findIndex((choice) => same(choice.value, value));
  if (multiple) return <CheckboxesWidget {...props} />;
  const kinds = schema.default === 0; // it chooses between alternatives, of which there is always one
  return (
    <select
      id={id}
      className="field"
      disabled={disabled || readonly}
      aria-label={ALTERNATIVE in schema ? label : undefined}
      aria-required={required}
      aria-describedby={describedBy(id)}
      aria-invalid={(rawErrors?.length ?? 0) > 0}
      data-testid="answer-field"
      value={chosen}
      onChange={({ target }) => onChange(choices[Number(target.value)]?.value)}
    >
      {!kinds && <option value={-1}>Choose…</option>}
      {choices.map(({ label }, i) => (
        <option key={i} value={i}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Some of some values, each once. */
function CheckboxesWidget({ id, options, value, disabled, readonly, onChange }: WidgetProps) {
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  const choices = options.enumOptions ?? [];
  const toggle = (which: unknown) => {
    const kept = choices.map((choice) => choice.value).filter((one) => same(one, which) !== chosen.some((other) => same(one, other)));
    onChange(kept);
  };
  return (
    <div className="schema-checks" id={id} role="group" aria-describedby={describedBy(id)}>
      {choices.map(({ label, value: one }, i) => (
        <label key={i}>
          <input type="checkbox" disabled={disabled || readonly} checked={chosen.some((other) => same(one, other))} onChange={() => toggle(one)} data-testid="answer-field" /> {label}
        </label>
      ))}
    </div>
  );
}

/** Two buttons. Where neither has to be chosen, a second click takes the choice back. */
function YesOrNoWidget({ id, label, value, required, disabled, readonly, onChange }: WidgetProps) {
  return (
    <fieldset id={id} disabled={disabled || readonly} aria-describedby={describedBy(id)}>
      <legend>
        {label}
        {!required && <span className="muted"> (optional)</span>}
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
            onClick={() => onChange(value === choice && !required ? undefined : choice)}
          >
            {choice ? "Yes" : "No"}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** Whether two values of a choice are the same. */
const same = (a: unknown, b: unknown): boolean => a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));

export const widgets = {
  TextWidget,
  TextareaWidget: TextWidget,
  PasswordWidget: TextWidget,
  EmailWidget: TextWidget,
  URLWidget: TextWidget,
  DateWidget: TextWidget,
  DateTimeWidget: TextWidget,
  TimeWidget: TextWidget,
  ColorWidget: TextWidget,
  UpDownWidget: TextWidget,
  SelectWidget,
  RadioWidget: SelectWidget,
  CheckboxWidget: YesOrNoWidget,
  CheckboxesWidget,
  FileWidget,
};
