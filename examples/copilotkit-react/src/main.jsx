import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { Page } from "./page.jsx";
import { headers } from "./token.jsx";

const runtimeUrl = import.meta.env.VITE_RUNTIME_URL ?? "http://localhost:8080/api/copilotkit";

// The thread is named in the page's address: a reload, or the same address in another tab, shows it again.
const address = new URL(location.href);
if (!address.searchParams.has("thread")) {
  address.searchParams.set("thread", crypto.randomUUID());
  history.replaceState(null, "", address);
}

const agentId = address.searchParams.get("agent") ?? "travel";
const threadId = address.searchParams.get("thread");

createRoot(document.getElementById("root")).render(<Page runtimeUrl={runtimeUrl} headers={headers} agentId={agentId} threadId={threadId} />);
