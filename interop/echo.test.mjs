// A browser reads a state and sends it back: numbers are spelled as JavaScript spells them then, and big ones have lost
// their last digits. The server's state must not change by it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const count = Number(process.env.RANDOM_STATES ?? 20000);
const seed = Number(process.env.RANDOM_SEED ?? 1);

function pairs(args, input) {
  const { status, stdout, stderr, error } = spawnSync("go", ["run", "./interop/pairs", ...args], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
    input,
    maxBuffer: 1 << 30,
  });
  if (error) throw error;
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split("\n");
}

test(`${count} random states of seed ${seed} survive a client that sends them back`, () => {
  const states = pairs(["-states", "-n", `${count}`, "-seed", `${seed}`]);
  assert.equal(states.length, count);
  const echoes = states.map((state) => JSON.stringify(JSON.parse(state)));
  const merged = pairs(["-merge"], states.flatMap((state, i) => [state, echoes[i]]).join("\n"));
  assert.equal(merged.length, count);
  states.forEach((state, i) => assert.equal(merged[i], state, `after the echo ${echoes[i]}`));
  const changed = states.filter((state, i) => state !== echoes[i]).length;
  assert.ok(changed > count / 4, `JavaScript spells only ${changed} states in another way`);
});
