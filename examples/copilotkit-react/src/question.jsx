import { useInterrupt } from "@copilotkit/react-core/v2";

/** Shows what an agent asks in the chat: its options as buttons. The answer resumes the run. */
export function Question() {
  useInterrupt({
    render({ interrupt, resolve, cancel }) {
      const { message, options, recommendation } = interrupt.metadata.value;
      const nameOf = (option) => option.airline ?? option.name;
      return (
        <fieldset>
          <legend>{message}</legend>
          {options.map((option) => (
            <button key={nameOf(option)} onClick={() => resolve(option)}>
              {nameOf(option)}
              {nameOf(option) === nameOf(recommendation) && " (recommended)"}
            </button>
          ))}
          <button onClick={() => cancel()}>Never mind</button>
        </fieldset>
      );
    },
  });
  return null;
}
