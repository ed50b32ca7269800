import { useInterrupt } from "@copilotkit/react-core/v2";

/** An interrupt with a payload of its own: the times that an agent offers. */
export function Meeting() {
  useInterrupt({
    render: ({ event, interrupt, resolve, cancel }) => {
      const value = interrupt?.metadata?.value ?? event.value;
      return (
        <fieldset>
          <legend>{value.topic ?? value.message}</legend>
          {value.slots?.map((slot) => (
            <button key={slot.iso} onClick={() => resolve({ chosen_time: slot.iso, chosen_label: slot.label })}>
              {slot.label}
            </button>
          ))}
          <button onClick={() => (cancel ? cancel() : resolve({ cancelled: true }))}>None of these</button>
        </fieldset>
      );
    },
  });
  return null;
}
