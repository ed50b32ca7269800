import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { applyTheme } from "./shell/theme";
import "./theme.css";
import "./shell/shell.css";

applyTheme();
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
