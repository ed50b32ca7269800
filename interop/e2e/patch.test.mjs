// Somebody who is no client changes a thread's state: who reads it is told by one delta that every client applies, and a
// page that heard of it, or did not, goes on with it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, ask, attach, fold, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { begun, startHeldModel } from "../lib/held.mjs";
import { until } from "../lib/until.mjs";

const held = await startHeldModel();
const gateway = await startGateway({
  team: `
version: 1
models: ${JSON.stringify(held.models)}
agents:
  held:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: greeter, type: llm, model: held }
      - { name: desk, type: script, steps: [ { ask: { key: size, message: "Which size?" } } ] }
  shop:
    type: groupchat
    manager: { type: sequential }
    participants:
      - name: greeter
        type: script
        steps: [ { say: "Welcome to the shop, where everything that you could ever want to have is sold by the metre." } ]
      - name: desk
        type: script
        steps:
          - ask: { key: size, message: "Which size?", options: [S, M, L] }
          - set: { path: /order, value: "\${answers.size}" }
          - say: "Ordered \${answers.size}."
`,
});

const patch = (tab, body, { type = "application/json-patch+json", headers } = {}) =>
  ask(`${gateway.url}/threads/${tab.threadId}/state`, { method: "PATCH", body, headers: { "Content-Type": type, ...headers } });

const paid = [
  { op: "add", path: "/payment", value: { received: true, amounts: [12.5, 3, { of: "EUR" }] } },
  { op: "move", from: "/payment/amounts/0", path: "/payment/amounts/1/total" },
];
const payment = { received: true, amounts: [3, { of: "EUR", total: 12.5 }] };

for (const version of versions) {
  describe(version, () => {
    test("a thread that waits is patched at once, and its reader is told by one delta", async () => {
      const tab = new Tab(gateway, version, { agent: "shop" });
      const asked = await tab.say("Hello");
      const following = attach(gateway, version, tab.threadId, {
        cursor: asked.cursor,
        follow: true,
        enough: (text) => text.includes('"type":"RUN_FINISHED"'),
      });
      const { status, body, headers } = await patch(tab, paid);
      assert.deepEqual({ status, outcome: body.status }, { status: 200, outcome: "applied" });
      const followed = await following;
      assert.deepEqual(followed.types, ["RUN_STARTED", "STATE_DELTA", "RUN_FINISHED"]);
      assert.equal(followed.outcome.type, "interrupt", "the question is still open");

      const truth = await ask(`${gateway.url}/threads/${tab.threadId}/state`);
      assert.equal(truth.headers.get("etag"), headers.get("etag"));
      assert.deepEqual(truth.body.payment, payment);
      const watcher = await fold(version, [...asked.events, ...followed.events], { threadId: tab.threadId });
      assert.deepEqual(watcher.state, truth.body);

      await tab.answer("M"); // this page heard nothing of it
      assert.deepEqual((await tab.agrees()).state.payment, payment);
    });

    test("a live run takes a patch along between two turns", async () => {
      const tab = new Tab(gateway, version, { agent: "held" });
      const middle = tab.until(begun);
      const run = tab.say("Tell me everything");
      await middle;
      const waits = await patch(tab, { payment }, { type: "application/merge-patch+json", headers: { Prefer: "wait=0" } });
      assert.deepEqual({ status: waits.status, outcome: waits.body.status }, { status: 202, outcome: "pending" }, waits.text);
      await held.release();
      const { status, body, text } = await until("the patch is judged", async () => {
        const answer = await ask(new URL(waits.headers.get("location"), `${gateway.url}/threads/${tab.threadId}/state`).href);
        return answer.body.status !== "pending" && answer;
      });
      assert.deepEqual({ status, outcome: body.status }, { status: 200, outcome: "applied" }, text);
      const stream = await run;
      const told = stream.of("STATE_DELTA").filter(({ delta }) => delta.some(({ path }) => path.startsWith("/payment")));
      assert.equal(told.length, 1, stream.text);
      assert.deepEqual((await tab.agrees()).state.payment, payment);
    });

    test("a patch that does not apply changes nothing, and says which operation it was", async () => {
      const tab = new Tab(gateway, version, { agent: "shop" });
      await tab.say("Hello");
      const before = await ask(`${gateway.url}/threads/${tab.threadId}/state`);
      const failed = await patch(tab, [...paid, { op: "test", path: "/payment/amounts/0", value: null }]);
      assert.equal(failed.status, 409, failed.text);
      const { code, operation, pointer } = failed.body.error;
      assert.deepEqual({ code, operation, pointer }, { code: "patch_failed", operation: 2, pointer: "/payment/amounts/0" });
      const stale = await patch(tab, paid, { headers: { "If-Match": '"another"' } });
      assert.equal(stale.status, 412, stale.text);
      const after = await ask(`${gateway.url}/threads/${tab.threadId}/state`);
      assert.deepEqual([after.body, after.headers.get("etag")], [before.body, before.headers.get("etag")]);
    });
  });
}
