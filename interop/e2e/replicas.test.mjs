// examples/replicas: a trip planned through the load balancer, whatever becomes of the replicas behind it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ask, Tab } from "../lib/client.mjs";
import { reservePorts } from "../lib/ports.mjs";
import { until } from "../lib/until.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs run.sh until it is ready: {url, pids, dir, stop()}. */
async function start() {
  const [PORT, PORT_A, PORT_B, REDIS_PORT] = await reservePorts(4);
  const env = { ...process.env, GATEWAY_LEASE: "1s", GATEWAY_VOICE_DELAY: "2ms", PORT, PORT_A, PORT_B, REDIS_PORT };
  if (!env.GATEWAY_BIN) {
    const dir = mkdtempSync(join(tmpdir(), "agui-replicas-"));
    after(() => rmSync(dir, { recursive: true }));
    env.GATEWAY_BIN = join(dir, "gateway");
    execFileSync("go", ["build", "-o", env.GATEWAY_BIN, "./cmd/gateway"], { cwd: root });
  }
  const script = spawn("bash", [join(root, "examples/replicas/run.sh")], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(script, "exit");
  const stop = async () => {
    script.kill("SIGTERM");
    return (await exited)[0];
  };
  after(stop);
  const lines = [];
  const collect = (stream) => createInterface({ input: stream }).on("line", (line) => lines.push(line));
  collect(script.stderr);
  const url = await new Promise((resolve, reject) => {
    collect(script.stdout).on("line", (line) => line.startsWith("ready on ") && resolve(line.slice("ready on ".length)));
    exited.then(([code]) => reject(new Error(`run.sh ended with code ${code}:\n${lines.join("\n")}`)), reject);
  });
  const found = lines.flatMap((line) => {
    const [, name, pid] = /^(.*?) +pid (\d+) /.exec(line) ?? [];
    return name ? [[name, Number(pid)]] : [];
  });
  const dir = lines.find((line) => line.startsWith("logs in ")).slice("logs in ".length);
  return { url, pids: Object.fromEntries(found), dir, stop };
}

const alive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    assert.equal(error.code, "ESRCH");
    return false;
  }
};

test("a trip is planned while replicas are killed, and nothing is left behind", async () => {
  const replicas = await start();
  assert.deepEqual(Object.keys(replicas.pids), ["redis", "replica a", "replica b", "balancer"]);

  const tab = new Tab(replicas, "1.0.0");
  assert.equal((await tab.say("Plan my trip")).outcome.type, "interrupt");
  const flight = tab.questions[0].metadata.value.recommendation;
  await tab.agrees();

  // Between two steps: a request that it dies over is the client's to send again, for no balancer may guess.
  process.kill(replicas.pids["replica a"], "SIGKILL");
  await until("the replica is gone", () => !alive(replicas.pids["replica a"]));
  assert.equal((await tab.answer(flight)).outcome.type, "interrupt");
  const hotel = tab.questions[0].metadata.value.recommendation;
  await tab.agrees();

  assert.deepEqual((await tab.answer(hotel)).outcome, { type: "success" });
  const thread = await tab.agrees();
  assert.deepEqual(thread.state.itinerary, { flight, hotel });
  assert.deepEqual(thread.runs.map(({ status }) => status), ["success", "interrupt", "interrupt"]);

  // Every other request would be the dead replica's turn.
  for (let i = 0; i < 4; i++) assert.equal((await ask(`${replicas.url}/threads/${tab.threadId}`)).status, 200);

  assert.equal(await replicas.stop(), 143);
  assert.deepEqual(Object.values(replicas.pids).filter(alive), []);
  assert.equal(existsSync(replicas.dir), false);
});
