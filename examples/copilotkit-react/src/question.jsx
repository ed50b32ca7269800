import { useInterrupt } from "@copilotkit/react-core/v2";

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
        <button onClick={() => cancel()}>Never mind</button>
      </>
    ),
  });
  return null;
}

/** The options as buttons, else yes and no, else a field, by what the schema of the answer wants. */
function Answer({ interrupt, give }) {
  const { options = [], recommendation } = interrupt.metadata?.value ?? {};
  const { type, wrap } = wanted(interrupt.responseSchema);
  if (options.length > 0) {
    return options.map((option) => (
      <button key={nameOf(option)} onClick={() => give(typeof option === "object" ? option : wrap(option))}>
        {nameOf(option)}
        {recommendation && nameOf(option) === nameOf(recommendation) && " (recommended)"}
      </button>
    ));
  }
  if (type === "boolean") {
    return [true, false].map((yes) => (
      <button key={String(yes)} onClick={() => give(wrap(yes))}>
        {yes ? "Yes" : "No"}
      </button>
    ));
  }
  const submit = (event) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget).get("words");
    give(wrap(type === "number" || type === "integer" ? Number(words) : words));
  };
  return (
    <form onSubmit={submit}>
      <input name="words" required aria-label="Your answer" /> <button>Answer</button>
    </form>
  );
}

/** The type of value that a schema wants, and how to wrap one: in the member that an object has to have. */
function wanted(schema) {
  const [key] = schema?.required ?? Object.keys(schema?.properties ?? {});
  if (key === undefined) return { type: schema?.type, wrap: (value) => value };
  return { type: schema.properties?.[key]?.type, wrap: (value) => ({ [key]: value }) };
}

const nameOf = (option) => option.airline ?? option.name ?? String(option);
