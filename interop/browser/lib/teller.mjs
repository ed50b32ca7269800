// An AG-UI server of somebody else's that tells whatever a test wants told: events that the team file's own agents never send.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

/**
 * Starts a server that answers a message with the events that stories has under its text, until the test file is over; returns its
 * URL. A story may have functions between its events: each is called, and waited for.
 */
export async function startTeller(stories) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const { threadId, runId, messages } = JSON.parse(body);
    const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    send({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
    const { content } = messages.findLast(({ role }) => role === "user");
    for (const event of stories[content] ?? says(`You wrote: ${content}`)) {
      if (typeof event === "function") await event();
      else send(event);
    }
    send({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } });
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

/** A message of an agent. */
export function says(text) {
  const messageId = crypto.randomUUID();
  return [
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}

/** Something to wait for in a story, and how a test lets it go on. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { wait: () => opened, open };
}
