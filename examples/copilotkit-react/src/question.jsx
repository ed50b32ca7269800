import { useInterrupt } from "@copilotkit/react-core/v2";
import { useState } from "react";
import { checked, SchemaForm, schemaOf } from "./form";

/** Shows what an agent asks in the chat. The run goes on when all of its questions are answered. */
export function Question() {
  useInterrupt({
    render: ({ interrupts, resolve, cancel }) => (
      <>
        {interrupts.map((interrupt) => (
          <fieldset key={interrupt.id}>
            <legend>{interrupt.metadata?.value?.message ?? interrupt.message ?? interrupt.reason}</legend>
            <Answer interrupt={interrupt} give={(payload) => resolve(payload, interrupt.id)} />
          </fieldset>
        ))}
        <button onClick={() => cancel()}>Skip this question</button>
      </>
    ),
  });
  return null;
}

/** The options as buttons, yes and no for what is to be approved of, else a form by the schema of the answer. */
function Answer({ interrupt, give }) {
  const { options, recommendation, arguments: args } = interrupt.metadata?.value ?? {};
  const { type, wrap } = wanted(interrupt.responseSchema);
  if (Array.isArray(options) && options.length > 0) {
    return options.map((option, i) => (
      <button key={i} onClick={() => give(typeof option === "object" ? option : wrap(option))}>
        {nameOf(option)}
        {recommendation && nameOf(option) === nameOf(recommendation) && " (recommended)"}
      </button>
    ));
  }
  if (type === "boolean") {
    return (
      <>
        {args !== undefined && <pre>{JSON.stringify(args, undefined, 2)}</pre>}
        {[true, false].map((yes) => (
          <button key={String(yes)} onClick={() => give(wrap(yes))}>
            {yes ? "Yes" : "No"}
          </button>
        ))}
      </>
    );
  }
  return <Form schema={schemaOf(interrupt)} give={give} />;
}

/** A form that says what is wrong before it gives an answer. */
function Form({ schema, give }) {
  const [value, setValue] = useState();
  const [tried, setTried] = useState(false);
  const submit = (event) => {
    event.preventDefault();
    const { payload, problems } = checked(schema, value);
    if (problems.length === 0) give(payload);
    else setTried(true);
  };
  return (
    <form noValidate onSubmit={submit}>
      <SchemaForm schema={schema} value={value} onChange={setValue} showProblems={tried} />
      <button>Answer</button>
    </form>
  );
}

/** The type of value that a schema wants where it wants one, and how to wrap one: in the member that an object has to have. */
function wanted(schema) {
  const keys = schema?.required ?? Object.keys(schema?.properties ?? {});
  if (keys.length === 0) return { type: schema?.type, wrap: (value) => value };
  const [key] = keys;
  return { type: keys.length === 1 ? schema.properties?.[key]?.type : "object", wrap: (value) => ({ [key]: value }) };
}

const nameOf = (option) => option?.airline ?? option?.name ?? (typeof option === "object" ? JSON.stringify(option) : String(option));
