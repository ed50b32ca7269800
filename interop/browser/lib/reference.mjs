// CopilotKit's own server, as its package has it, on ports of its own.

process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
process.env.LOG_LEVEL = "fatal";
process.env.NODE_ENV = "production"; // what a development build adds is no protocol

import { AbstractAgent } from "@ag-ui/client";
import { once } from "node:events";
import { createServer } from "node:http";
import { Observable } from "rxjs";
import { scripts } from "../../copilotkit/agents.mjs";
import { basePath } from "../../copilotkit/exchanges.mjs";

const { CopilotRuntime } = await import("@copilotkit/runtime/v2");
const { createCopilotNodeListener } = await import("@copilotkit/runtime/v2/node");

// The one tool that CopilotKit itself asks an agent to call.
function* suggestions() {
  const toolCallId = crypto.randomUUID();
  yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "copilotkitSuggest" };
  yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ suggestions: [{ title: "More", message: "Tell me more" }] }) };
  yield { type: "TOOL_CALL_END", toolCallId };
}

class ScriptedAgent extends AbstractAgent {
  constructor(script) {
    super();
    this.script = script;
  }

  clone() {
    return new ScriptedAgent(this.script);
  }

  run(input) {
    const { threadId, runId, tools } = input;
    return new Observable((reader) => {
      this.stop = () => reader.complete();
      reader.next({ type: "RUN_STARTED", threadId, runId });
      reader.next({ type: "STATE_SNAPSHOT", snapshot: {} });
      const suggest = tools.some(({ name }) => name === "copilotkitSuggest");
      const steps = suggest ? suggestions() : this.script(input);
      try {
        for (;;) {
          const { value, done } = steps.next();
          if (value === "wait") return;
          if (done) {
            reader.next({ type: "RUN_FINISHED", threadId, runId, ...(value && { outcome: value }) });
            return void reader.complete();
          }
          reader.next(value);
        }
      } catch (error) {
        reader.error(error);
      }
    });
  }

  abortRun() {
    this.stop?.();
  }
}

/**
 * Starts the runtime with both its transports, for the agents of the table or those given: {url: {rest, single}, close()}.
 */
export async function startRuntime(agents) {
  agents ??= Object.fromEntries(Object.entries(scripts).map(([id, script]) => [id, new ScriptedAgent(script)]));
  const runtime = new CopilotRuntime({ agents });
  const rest = await listen(createCopilotNodeListener({ runtime, basePath, cors: true }));
  const single = await listen(createCopilotNodeListener({ runtime, basePath, cors: true, mode: "single-route" }));
  return {
    url: { rest: rest.origin + basePath, single: single.origin + basePath },
    close() {
      rest.close();
      single.close();
    },
  };
}

async function listen(listener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
