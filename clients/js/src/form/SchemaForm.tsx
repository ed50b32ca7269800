import { Component, lazy, type ReactNode, Suspense, useId, useMemo, useState } from "react";
import { checked } from "./check.ts";
import { JsonEditor } from "./JsonEditor.tsx";
import { JsonText, read, written } from "./json.ts";
import { isSchema, type Schema } from "./schema.ts";
import { shownOf } from "./shown.ts";

const Rendered = lazy(() => import("./Rendered.tsx"));

interface Props {
  /** A JSON Schema; anything, if it comes from somebody else. */
  schema: unknown;
  /** The present value: the last argument of onChange, undefined at first. problemsOf and checked read it. */
  value: unknown;
  onChange: (value: unknown) => void;
  disabled?: boolean;
  /** Shows the problems of every part, also of untouched ones. */
  showProblems?: boolean;
  /** The name of the whole, for an answer that has no other. */
  label?: string;
}

/** A form made of a JSON Schema. What no form can be made of is written as JSON. It has no button: it may stand in a form of yours. */
export function SchemaForm({ schema, value, onChange, disabled = false, showProblems = false, label = "Your answer" }: Props) {
  const whole = useId();
  const shown = useMemo(() => shownOf(schema), [schema]);
  const [broken, setBroken] = useState(false);
  const problems = useMemo(() => checked(schema, value).problems, [schema, value]);
  const named = useMemo(() => ("schema" in shown ? withName(shown.schema, label) : undefined), [shown, label]);
  const reason = "reason" in shown ? shown.reason : broken ? "It could not be shown." : undefined;
  const asJson = reason !== undefined || value instanceof JsonText;
  const editor = (
    <JsonEditor label={label} schema={schema} value={value} problems={problems} reason={reason} disabled={disabled} showProblems={showProblems} onChange={onChange} />
  );
  const said = value instanceof JsonText && value.text.trim() !== "" ? read(value.text) : { value: undefined };
  const toForm = () => "value" in said && onChange(said.value);
  return (
    <div className="schema-form" id={whole} role="group" aria-label={label}>
      {asJson ? (
        editor
      ) : (
        <Boundary fallback={editor} onError={() => setBroken(true)}>
          <Suspense fallback={<p className="muted">Loading the form…</p>}>
            <Rendered schema={named!} value={value} problems={problems} disabled={disabled} showProblems={showProblems} onChange={onChange} />
          </Suspense>
        </Boundary>
      )}
      {reason === undefined && named && hasParts(named) && (
        <button
          type="button"
          className="button quiet schema-switch"
          disabled={disabled || (asJson && !("value" in said))}
          onClick={() => (asJson ? toForm() : onChange(new JsonText(written(checked(schema, value).payload))))}
        >
          {asJson ? "Back to the form" : "Write it as JSON"}
        </button>
      )}
    </div>
  );
}

/** The schema with a name for parts without one: the value itself, or the only member that is just called value. */
function withName(schema: Schema, label: string): Schema {
  if (schema["type"] !== "object") return { title: label, ...schema };
  const { title: _, description: __, properties, ...rest } = schema;
  if (!isSchema(properties)) return rest;
  const [key, another] = Object.keys(properties);
  const lone = key === "value" && another === undefined && isSchema(properties["value"]);
  return { ...rest, properties: lone ? { value: { ...(properties["value"] as Schema), title: label } } : properties };
}

/** Whether it is worth a button that changes to JSON. */
function hasParts({ type, properties }: Schema): boolean {
  if (type === "array") return true;
  const parts = isSchema(properties) ? Object.values(properties) : [];
  return parts.length > 1 || parts.some((part) => isSchema(part) && (part["type"] === "object" || part["type"] === "array" || "anyOf" in part));
}

/** Shows the fallback where the form throws. */
class Boundary extends Component<{ fallback: ReactNode; onError: () => void; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch() {
    this.props.onError();
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
