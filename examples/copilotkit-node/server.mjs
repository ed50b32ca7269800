// CopilotKit's Node runtime, with the gateway's travel team as its agent.

import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { createServer } from "node:http";
import { map } from "rxjs";

// A page loses its question when an answer is refused as an error; like this it is asked again.
const url = process.env.AGENT_URL ?? "http://localhost:8080/agents/travel?refusals=ask";
const port = Number(process.env.PORT ?? 4000);

/**
 * Stop asks the gateway to end the run, which closes the message it is in. Where the connection is cut instead, the runtime
 * keeps half a message, and shows it behind all that is said later when a page is loaded again.
 */
class GatewayAgent extends HttpAgent {
  abortRun() {
    const stop = new URL(`/threads/${encodeURIComponent(this.threadId)}/stop`, this.url);
    stop.searchParams.set("agent", new URL(this.url).pathname.split("/").at(-1));
    fetch(stop, { method: "POST", headers: this.headers })
      .then((response) => response.json())
      .then(({ stopped }) => stopped || super.abortRun()) // it has not begun
      .catch(() => super.abortRun());
  }

  /** What a person stopped has ended well: for a page of CopilotKit's an error is an error. */
  run(input) {
    const { threadId, runId } = input;
    const ended = { type: "RUN_FINISHED", threadId, runId };
    return super.run(input).pipe(map((event) => (event.type === "RUN_ERROR" && event.code === "cancelled" ? ended : event)));
  }
}

const runtime = new CopilotRuntime({ agents: { travel: new GatewayAgent({ url }) } });

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
