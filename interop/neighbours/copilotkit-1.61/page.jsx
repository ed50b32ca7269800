// A chat of CopilotKit's. The query says where the gateway is (url), which thread is shown (thread), and what it is asked for (subagents).

import { CopilotChat, CopilotKitProvider, useAgent, useDefaultRenderTool, useFrontendTool, useInterrupt } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";
import { z } from "zod";

const { url, thread, subagents } = Object.fromEntries(new URLSearchParams(location.search));
const headers = subagents ? { "X-Gateway-Subagents": subagents } : {};

function Desk() {
  const { agent } = useAgent({ agentId: "desk" });
  useDefaultRenderTool({
    render: ({ name, parameters, result }) => (
      <p data-testid="call">
        {name} {JSON.stringify(parameters)} {result}
      </p>
    ),
  });
  useFrontendTool({
    name: "where_am_i",
    description: "The city in which the person is",
    parameters: z.object({ precise: z.boolean() }),
    handler: async () => "Paris",
  });
  useInterrupt({
    agentId: "desk",
    render: ({ interrupt, resolve }) => (
      <fieldset>
        <legend>{interrupt.message}</legend>
        {interrupt.metadata.value.options.map((value) => (
          <button key={value} onClick={() => resolve({ value })}>
            {value}
          </button>
        ))}
      </fieldset>
    ),
  });
  return (
    <>
      <output>{JSON.stringify(agent.state)}</output>
      <button onClick={() => agent.setState({ ...agent.state, address: "Quay 1" })}>Move</button>
      <CopilotChat agentId="desk" threadId={thread} />
    </>
  );
}

createRoot(document.getElementById("root")).render(
  <CopilotKitProvider runtimeUrl={`${url}/api/copilotkit`} headers={headers}>
    <Desk />
  </CopilotKitProvider>,
);
