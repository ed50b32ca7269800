import "@copilotkit/react-core/v2/styles.css";
import { CopilotChat, CopilotKitProvider, useAgent } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";
import { Question } from "./question.jsx";

const runtimeUrl = import.meta.env.VITE_RUNTIME_URL ?? "http://localhost:8080/api/copilotkit";

// The thread is named in the page's address: a reload, or the same address in another tab, shows it again.
const address = new URL(location.href);
if (!address.searchParams.has("thread")) {
  address.searchParams.set("thread", crypto.randomUUID());
  history.replaceState(null, "", address);
}
const threadId = address.searchParams.get("thread");

function Itinerary() {
  const { agent } = useAgent();
  const { flight, hotel } = agent.state?.itinerary ?? {};
  return (
    <aside>
      <p>Flight: {flight?.airline ?? "open"}</p>
      <p>Hotel: {hotel?.name ?? "open"}</p>
    </aside>
  );
}

createRoot(document.getElementById("root")).render(
  <CopilotKitProvider runtimeUrl={runtimeUrl} agentId="travel" enableInspector={false}>
    <Itinerary />
    <Question />
    <CopilotChat threadId={threadId} />
  </CopilotKitProvider>,
);
