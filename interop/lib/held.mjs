// A model's server that streams the beginning of an answer, and the rest when the test releases it. In between, the run is live for as long as the
// test needs.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";
import { until } from "./until.mjs";

/** The two parts of an answer that is held, and the answer to a message that begins with "Hello", which is not held. */
export const answer = { beginning: "One moment.", rest: " Here it is.", greeting: "Hello to you." };

/** Reports whether the text of a stream has the beginning of an answer. */
export const begun = (text) => text.includes(answer.beginning);

/** Starts the server until the test file is over: {models, release()}. models is the entry of a team file, with the model "held". */
export async function startHeldModel() {
  const held = new Set();
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const piece of incoming.setEncoding("utf8")) body += piece;
    outgoing.writeHead(200, { "Content-Type": "text/event-stream" });
    const say = (delta, finish_reason = null) => outgoing.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    const end = (content) => {
      say({ content });
      say({}, "stop");
      outgoing.end("data: [DONE]\n\n");
    };
    const { content } = JSON.parse(body).messages.findLast(({ role }) => role === "user");
    if (/^Hello/.test(content)) return end(answer.greeting);
    say({ content: answer.beginning });
    const rest = () => end(answer.rest);
    held.add(rest);
    outgoing.on("close", () => held.delete(rest));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    models: { held: { base_url: `http://127.0.0.1:${server.address().port}/v1`, api_key: "none", model: "held" } },
    /** Waits until an answer is held, and completes all that are. */
    async release() {
      await until("an answer is held", () => held.size > 0);
      for (const rest of held) rest();
    },
  };
}
