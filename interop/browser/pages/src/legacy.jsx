import { CopilotKit, useCoAgent, useLangGraphInterrupt } from "@copilotkit/react-core";
import { CopilotChat } from "@copilotkit/react-core/v2";
import { Plan } from "./trip.jsx";

/**
 * The AG-UI Dojo's travel page, rebuilt from what it does: CopilotKit's older hooks over a single route, a question that
 * is a CUSTOM event with all of an option on its button, an answer that is JSON text, a plan that is the agent's state,
 * and below it the flights and hotels that the state holds.
 */
export const legacyPage = ({ url, thread }) => (
  <CopilotKit runtimeUrl={url} useSingleEndpoint agent="subgraphs" threadId={thread} showDevConsole={false}>
    <LegacyTrip thread={thread} />
  </CopilotKit>
);

const initialState = { origin: "", destination: "", flights: [], hotels: [], experiences: [], itinerary: {} };

function LegacyTrip({ thread }) {
  const { state } = useCoAgent({ name: "subgraphs", initialState });
  useLangGraphInterrupt({
    render: ({ event: { value }, resolve }) => (
      <fieldset>
        <legend>{value.message}</legend>
        {value.options.map((option) => (
          <button key={option.airline ?? option.name} onClick={() => resolve(JSON.stringify(option))}>
            <Facts of={option} />
          </button>
        ))}
      </fieldset>
    ),
  });
  const known = [...(state?.flights ?? []), ...(state?.hotels ?? [])];
  return (
    <>
      <Plan state={state} />
      <p>Experiences: {state?.experiences?.length ?? 0}</p>
      <ul data-testid="known">
        {known.map((option) => (
          <li key={option.airline ?? option.name}>
            <Facts of={option} />
          </li>
        ))}
      </ul>
      <CopilotChat agentId="subgraphs" threadId={thread} />
    </>
  );
}

/** All there is to know of an option, in the order in which the Dojo shows it. */
function Facts({ of: { airline, name, location, price, price_per_night, duration } }) {
  return [airline ?? name, location, price ?? price_per_night, duration].filter(Boolean).join(", ");
}
