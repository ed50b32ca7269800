// CopilotKit's Node runtime, with the gateway's travel team as its agent.

import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { createServer } from "node:http";

// A page loses its question when an answer is refused as an error; like this it is asked again.
const url = process.env.AGENT_URL ?? "http://localhost:8080/agents/travel?refusals=ask";
const port = Number(process.env.PORT ?? 4000);

const runtime = new CopilotRuntime({ agents: { travel: new HttpAgent({ url }) } });

// The two transports a page may ask for, each under a path of its own.
const rest = createCopilotNodeListener({ runtime, basePath: "/api/copilotkit", cors: true });
const single = createCopilotNodeListener({ runtime, basePath: "/api/copilotkit-single", cors: true, mode: "single-route" });

const server = createServer((request, response) => {
  const listener = request.url.startsWith("/api/copilotkit-single") ? single : rest;
  return listener(request, response);
});
server.listen(port, "127.0.0.1", () => {
  console.log(`runtimeUrl: http://127.0.0.1:${server.address().port}/api/copilotkit (or /api/copilotkit-single)`);
});
