import { CopilotChat, useAgent, useInterrupt } from "@copilotkit/react-core/v2";

const nameOf = (option) => option.airline ?? option.name;

/** The chat, the question that is open, and what the shared state says of the trip. */
export function Trip({ thread }) {
  const { agent } = useAgent();
  useInterrupt({
    render: ({ interrupt, resolve, cancel }) => (
      <Options {...interrupt.metadata.value} choose={resolve} cancel={cancel} />
    ),
  });
  return (
    <>
      <Plan state={agent.state} />
      <CopilotChat threadId={thread} />
    </>
  );
}

export function Options({ message, options, recommendation, choose, cancel }) {
  return (
    <fieldset>
      <legend>{message}</legend>
      {options.map((option) => (
        <button key={nameOf(option)} onClick={() => choose(option)}>
          {nameOf(option)}
          {nameOf(option) === nameOf(recommendation) && " (recommended)"}
        </button>
      ))}
      {cancel && <button onClick={() => cancel()}>Never mind</button>}
    </fieldset>
  );
}

export function Plan({ state }) {
  const { flight, hotel } = state?.itinerary ?? {};
  return (
    <aside>
      <p>Flight: {flight?.airline ?? "open"}</p>
      <p>Hotel: {hotel?.name ?? "open"}</p>
      <p>Step: {state?.planning_step ?? "none"}</p>
      <p>Speaking: {state?.active_agent ?? "nobody"}</p>
    </aside>
  );
}
