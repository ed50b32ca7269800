// The form itself, by react-jsonschema-form. It is loaded when a form is shown.

import Form from "@rjsf/core/lib/components/Form.js"; // what the package itself exports asks for a validator that compiles
import { type ErrorSchema, englishStringTranslator, type FieldProps, type RJSFSchema, TranslatableString, type ValidatorType } from "@rjsf/utils";
import { type ComponentType, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { MISSING, type Problem } from "./check.ts";
import type { Said } from "./context.ts";
import { marked, typed } from "./exact.ts";
import { JsonField } from "./JsonField.tsx";
import type { Schema } from "./schema.ts";
import { templates } from "./templates.tsx";
import { unfit } from "./validator.ts";
import { widgets } from "./widgets.tsx";

interface Props {
  /** Of shownOf. */
  schema: Schema;
  value: unknown;
  problems: Problem[];
  disabled: boolean;
  showProblems: boolean;
  onChange: (value: unknown) => void;
}

/** The library asks this which alternative a value fits. The problems of an answer are found by checked. */
export const validator: ValidatorType = {
  isValid: (schema, value) => (typeof schema === "boolean" ? schema : value === undefined || unfit(schema as Schema, plain(value)).length === 0),
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

// A member that is added is empty, and not called New Value.
const translate: typeof englishStringTranslator = (string, params) => (string === TranslatableString.NewStringDefault ? "" : englishStringTranslator(string, params));

/** A number, which keeps the digits that JavaScript's numbers have no room for. */
function NumberField({ onChange, ...props }: FieldProps) {
  const StringField = props.registry.fields["StringField"] as ComponentType<FieldProps>;
  const change: FieldProps["onChange"] = (value, ...more) => onChange(typeof value === "string" ? typed(value) : value, ...more);
  return <StringField {...props} onChange={change} />;
}

const fields = { FallbackField: JsonField, NumberField };
// Empty objects, constants and a no are answers only if somebody has given them.
export const behaviour = { arrayMinItems: { populate: "requiredOnly" }, emptyObjectFields: "skipEmptyDefaults", constAsDefaults: "never", requiredBooleanDefault: "skip" } as const;
const uiSchema = { "ui:submitButtonOptions": { norender: true } };

export default function Rendered({ schema, value, problems, disabled, showProblems, onChange }: Props) {
  const prefix = useId();
  const whole = useRef<HTMLDivElement>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [elsewhere, setElsewhere] = useState<Problem[]>([]);
  // An empty part is called missing only when all are.
  const now = useMemo(() => problems.filter(({ path, text }) => showProblems || (left.has(path) && text !== MISSING)), [problems, showProblems, left]);
  const context = useMemo(
    (): Said => ({
      texts: Object.fromEntries(now.map(({ path, text }) => [path, text])),
      leave: (path) => setLeft((all) => (all.has(path) ? all : new Set(all).add(path))),
    }),
    [now],
  );
  const errors = useMemo(() => errorsOf(now), [now]);
  const markedSchema = useMemo(() => marked(schema), [schema]);

  // A problem of a part that is not shown, such as of another alternative, would be nowhere.
  useLayoutEffect(() => {
    const there = new Set([...(whole.current?.querySelectorAll<HTMLElement>("[data-path]") ?? [])].map((part) => part.dataset["path"]));
    const lost = problems.filter(({ path }) => !there.has(path));
    setElsewhere((now) => (JSON.stringify(now) === JSON.stringify(lost) ? now : lost));
  }, [problems, value]);

  return (
    <div ref={whole}>
      <Form
        tagName="div"
        className="schema-rendered"
        idPrefix={prefix}
        schema={markedSchema as RJSFSchema}
        uiSchema={uiSchema}
        validator={validator}
        fields={fields}
        templates={templates}
        widgets={widgets}
        formContext={context}
        formData={marked(value)}
        extraErrors={errors}
        disabled={disabled}
        showErrorList={false}
        translateString={translate}
        experimental_defaultFormStateBehavior={behaviour}
        experimental_componentUpdateStrategy="shallow"
        onChange={({ formData }) => onChange(formData)}
      >
        <></>
      </Form>
      {elsewhere.map(({ path, text }) => (
        <p key={path} className="problem" role="alert">
          {path.slice(1)}: {text}
        </p>
      ))}
    </div>
  );
}

/** The problems in the library's form, for the controls to be marked. */
function errorsOf(problems: Problem[]): ErrorSchema {
  const errors: Record<string, unknown> = {};
  for (const { path, text } of problems) {
    let part = errors;
    for (const key of path.split("/").slice(1)) part = (part[key.replaceAll("~1", "/").replaceAll("~0", "~")] ??= {}) as Record<string, unknown>;
    part["__errors"] = [text];
  }
  return errors as ErrorSchema;
}
