// In front of the Dojo: what its pages ask of /api/copilotkit/INTEGRATION goes to the gateway's /api/copilotkit, with no Node runtime between.
// Everything else is the Dojo's.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

const { FRONT_PORT, DOJO_URL, GATEWAY_URL, TRACES } = process.env;
const backends = JSON.parse(readFileSync(new URL("backends.json", import.meta.url), "utf8"));
mkdirSync(TRACES, { recursive: true });
let requests = 0;

/** The body of a request to the gateway: a page names the agent that its integration has for it. */
function renamed(integration, body) {
  const message = JSON.parse(body);
  const agent = backends[integration]?.[message.params?.agentId];
  if (agent) message.params.agentId = agent;
  return Buffer.from(JSON.stringify(message));
}

function pass(request, response, { to, body, file }) {
  const headers = { ...request.headers, "content-length": body.length };
  delete headers.origin; // the page and the gateway are of one origin here
  delete headers.host;
  const up = http.request(to, { method: request.method, headers }, (answer) => {
    if (file) writeFileSync(`${file}.answer`, `# ${request.method} ${to} -> ${answer.statusCode}\n`);
    response.writeHead(answer.statusCode, answer.headers);
    answer.on("data", (piece) => {
      if (file) appendFileSync(`${file}.answer`, piece);
      response.write(piece);
    });
    answer.on("end", () => response.end());
    answer.on("error", () => response.destroy());
  });
  up.on("error", (error) => {
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error));
  });
  response.on("close", () => response.writableEnded || up.destroy());
  up.end(body);
}

http
  .createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [, integration, rest] = /^\/api\/copilotkit\/([^/?]+)(.*)$/.exec(request.url) ?? [];
    if (!backends[integration]) return pass(request, response, { to: DOJO_URL + request.url, body });
    const file = join(TRACES, String(++requests).padStart(4, "0"));
    writeFileSync(`${file}.request`, body);
    const json = request.headers["content-type"]?.startsWith("application/json");
    pass(request, response, { to: `${GATEWAY_URL}/api/copilotkit${rest}`, body: json ? renamed(integration, body) : body, file });
  })
  .listen(Number(FRONT_PORT), "127.0.0.1");
