// How the gateway's own page gets to a browser: below a prefix, where a program has mounted the gateway beside other routes, and
// while one version takes the place of another behind a load balancer, when files are asked for where they are not.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import { after, test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agreesWhole, begin, openPlanner, pick, question, threadOf } from "./lib/planner.mjs";
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

test("a plan goes on below a prefix, and is found again by a reload", async (t) => {
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
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await agreesWhole(page, gateway, id);
  const elsewhere = asked.filter((address) => !address.startsWith(`${url}${prefix}/`) && !address.startsWith("data:"));
  assert.deepEqual(elsewhere, [], "everything the page asks for is below the prefix");
});

for (const [what, files] of [
  ["its script", "**/assets/index-*.js"],
  ["its styles", "**/assets/index-*.css"],
  ["a part that is loaded later", "**/assets/Chat-*.js"],
]) {
  test(`a page that does not find ${what} at the other version is loaded again until it does`, async (t) => {
    let missed = 0;
    const page = await openPlanner(t, gateway.url, {
      prepare: (page) => {
        page.allow(/404|preload|dynamically imported/i);
        return page.route(files, (route) => (missed++ < 2 ? route.fulfill({ status: 404, body: "not found" }) : route.continue()));
      },
    });
    await page.getByTestId("welcome").waitFor();
    assert.ok(missed > 2, "what was missing was asked for again");
    await page.waitForFunction(() => sessionStorage.getItem("loaded-again") === null);
  });
}
