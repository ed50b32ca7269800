import { CopilotKit, useCoAgent, useLangGraphInterrupt } from "@copilotkit/react-core";
import { CopilotChat } from "@copilotkit/react-core/v2";
import { Options, Plan } from "./trip.jsx";

/**
 * The AG-UI Dojo's travel page, rebuilt from what it does: CopilotKit's older hooks over a single route, a question that
 * is a CUSTOM event, an answer that is JSON text, and a plan that is the agent's state.
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
    render: ({ event, resolve }) => (
      <Options {...event.value} choose={(option) => resolve(JSON.stringify(option))} />
    ),
  });
  return (
    <>
      <Plan state={state} />
      <p>Experiences: {state?.experiences?.length ?? 0}</p>
      <CopilotChat agentId="subgraphs" threadId={thread} />
    </>
  );
}
