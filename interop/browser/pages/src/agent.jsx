import { HttpAgent } from "@ag-ui/client";
import { CopilotKitProvider } from "@copilotkit/react-core/v2";
import { Trip } from "./trip.jsx";

/** No runtime at all: the page holds an agent that posts to the plain endpoint. */
export function agentPage({ url, thread }) {
  const agent = new HttpAgent({ url, threadId: thread });
  return (
    <CopilotKitProvider agents__unsafe_dev_only={{ travel: agent }} agentId="travel">
      <Trip thread={thread} />
    </CopilotKitProvider>
  );
}
