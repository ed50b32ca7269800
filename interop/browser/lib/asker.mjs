// An AG-UI server of somebody else's that asks whatever a test wants asked: questions of schemas that the team file's own
// agents never have.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

/**
 * Starts a server that answers a message with the questions that cases has under its text, and an answer with its payloads as
 * JSON, until the test file is over; returns its URL. A question is an AG-UI interrupt without an id. The questions of a case may be a
 * function that returns them.
 */
export async function startAsker(cases) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const event of events(JSON.parse(body), cases)) response.write(`data: ${JSON.stringify(event)}\n\n`);
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

function events({ threadId, runId, messages, resume }, cases) {
  const started = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
  const finished = (outcome) => ({ type: "RUN_FINISHED", threadId, runId, outcome });
  if (resume?.length > 0) {
    const told = resume.map(({ status, payload }) => (status === "cancelled" ? status : JSON.stringify(payload)));
    return [started, ...said(`answer-${runId}`, `You said: ${told.join(", ")}`), finished({ type: "success" })];
  }
  const { content } = messages.findLast(({ role }) => role === "user");
  const asked = typeof cases[content] === "function" ? cases[content]() : cases[content];
  if (asked === undefined) return [started, ...said(`words-${runId}`, `You wrote: ${content}`), finished({ type: "success" })];
  const interrupts = asked.map((question, i) => ({ id: `${runId}-${i}`, reason: "input_required", ...question }));
  return [started, finished({ type: "interrupt", interrupts })];
}

const said = (messageId, text) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
  { type: "TEXT_MESSAGE_END", messageId },
];
