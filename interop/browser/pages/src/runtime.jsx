import { CopilotKitProvider } from "@copilotkit/react-core/v2";
import { Trip } from "./trip.jsx";

/** The usual page: a runtime is asked for its agents. */
export const runtimePage = ({ url, thread, useSingleEndpoint }) => (
  <CopilotKitProvider runtimeUrl={url} useSingleEndpoint={useSingleEndpoint} agentId="travel">
    <Trip thread={thread} />
  </CopilotKitProvider>
);
