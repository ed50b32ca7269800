import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { guardRequests } from "./session/tab";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { applyTheme } from "./shell/theme";
import "./theme.css";
import "client/react/controls.css";
import "client/react/value.css";
import "client/form/form.css";
import "./shell/shell.css";
import "./shell/threads.css";
import "./shell/notices.css";

// Zod compiles its checks with new Function where it may. Here it may not, and asking would break the content security policy.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

applyTheme();
guardRequests();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary what="page">
        <App />
      </ErrorBoundary>
    </StrictMode>,
  );
}
