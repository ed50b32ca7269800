// An endpoint for an agent of @ag-ui/client (AbstractAgent) that has none: what is posted is run, and its events are sent.

import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";

/** A listener of Node's http server; make returns the agent for one run. */
export const bridge = (make) => async (request, response) => {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece;
  let input;
  try {
    input = RunAgentInputSchema.parse(JSON.parse(body));
  } catch {
    return response.writeHead(422).end();
  }
  const encoder = new EventEncoder();
  response.writeHead(200, { "Content-Type": encoder.getContentType(), "Cache-Control": "no-cache" });
  const send = (event) => response.write(encoder.encodeSSE(event));
  const agent = make(input);
  const run = agent.run(input).subscribe({
    next: send,
    error: (error) => (send({ type: "RUN_ERROR", message: error.message }), response.end()),
    complete: () => response.end(),
  });
  response.on("close", () => (run.unsubscribe(), agent.abortRun()));
};
