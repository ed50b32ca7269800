import { CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";

/** A page that is told by the runtime which agents show surfaces, and draws them with CopilotKit's own components. */
export const surfacesPage = ({ url, thread }) => (
  <CopilotKitProvider runtimeUrl={url} agentId="designs">
    <CopilotChat agentId="designs" threadId={thread} />
  </CopilotKitProvider>
);
