// One page for each way that CopilotKit can reach the gateway. The query says which:
//
//   way     runtime (the page asks what transport is served), single, agent, legacy, dojo (with `feature`, and `single=1` for one route), surfaces,
//           client (the package of clients/js), approvals (with `hook=tool` for CopilotKit's hook for tools that a person carries out), readme (the page of README.md)
//   url     of the runtime, or of the agent
//   thread  the thread that is shown

import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { agentPage } from "./agent.jsx";
import { approvalsPage } from "./approvals.jsx";
import { clientPage } from "./client.jsx";
import { dojoPage } from "./dojo/page.jsx";
import { legacyPage } from "./legacy.jsx";
import { runtimePage } from "./runtime.jsx";
import { surfacesPage } from "./surfaces.jsx";

const query = Object.fromEntries(new URLSearchParams(location.search));
const pages = {
  runtime: runtimePage,
  single: (query) => runtimePage({ ...query, useSingleEndpoint: true }),
  agent: agentPage,
  legacy: legacyPage,
  dojo: dojoPage,
  surfaces: surfacesPage,
  approvals: approvalsPage,
  client: clientPage,
};
if (query.way === "readme") import("./readme.jsx"); // it renders itself
else createRoot(document.getElementById("root")).render(pages[query.way](query));
