// A model that designs a surface for each message, and says what it hears of what people do in it.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

/** Starts it until the test file is over; returns {url, asked}, with the last messages of all requests. */
export async function startDesigner(surface) {
  const text = JSON.stringify(surface);
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const last = JSON.parse(body).messages.at(-1);
    asked.push(last);
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    if (last.role === "user") {
      send({ role: "assistant", tool_calls: [{ index: 0, id: `c${asked.length}`, type: "function", function: { name: "render_a2ui", arguments: "" } }] });
      for (let i = 0; i < text.length; i += 40) send({ tool_calls: [{ index: 0, function: { arguments: text.slice(i, i + 40) } }] });
      send({}, "tool_calls");
    } else {
      send({ role: "assistant", content: last.content.includes("User performed") ? "It is booked." : "There." });
      send({}, "stop");
    }
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => (server.close(), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, asked };
}
