// The gateway's own page below a prefix, where a program has mounted the gateway beside routes of its own.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import { after, test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agreesWhole, begin, finish, question, threadOf } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const prefix = "/our/ai";
const gateway = await startGateway();

// Passes on what comes below the prefix, without it, and knows nothing else.
const program = createServer((request, response) => {
  if (!request.url.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
  const inner = ask(gateway.url + request.url.slice(prefix.length), { method: request.method, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  inner.on("error", () => response.destroy());
  response.on("close", () => inner.destroy());
  request.pipe(inner);
});
program.listen(0, "127.0.0.1");
await once(program, "listening");
after(() => {
  program.close();
  program.closeAllConnections();
});
const url = `http://127.0.0.1:${program.address().port}`;

test("a trip is planned below a prefix, and found again", async (t) => {
  const asked = [];
  const page = await openPage(t, `${url}${prefix}/`, {
    viewport: { width: 1440, height: 900 },
    prepare: (page) => page.on("request", (request) => asked.push(request.url())),
  });
  const id = await begin(page);
  await question(page, /flight/i).waitFor();
  await page.reload();
  await question(page, /flight/i).waitFor();
  assert.equal(await threadOf(page), id);
  await finish(page);
  await agreesWhole(page, gateway, id);
  const elsewhere = asked.filter((address) => !address.startsWith(`${url}${prefix}/`) && !address.startsWith("data:"));
  assert.deepEqual(elsewhere, [], "everything the page asks for is below the prefix");
});
