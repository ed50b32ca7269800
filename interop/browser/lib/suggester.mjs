// A model that is asked what a person could say next, and answers by what was said last.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

/** Starts it until the test file is over; returns {url, asked}, with what it was told in each request. */
export async function startSuggester() {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { messages } = JSON.parse(body);
    asked.push(messages.filter(({ role }) => role !== "system").map(({ content }) => content));
    const said = messages.filter(({ role }) => role === "assistant").length;
    const suggestions = said === 0 ? [{ title: "Begin here", message: "Begin, please" }] : [{ title: `After ${said}`, message: "And then?" }];
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    send({ role: "assistant", content: JSON.stringify({ suggestions }) });
    send({}, "stop");
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => (server.close(), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, asked };
}
