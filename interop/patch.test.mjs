// Our patches, applied by the library every AG-UI client applies them with, and as strictly as they do.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import jsonpatch from "fast-json-patch";

const count = Number(process.env.RANDOM_PAIRS ?? 20000);
const seed = Number(process.env.RANDOM_SEED ?? 1 + Math.floor(Math.random() * 1e6));

function pairs() {
  const { status, stdout, stderr, error } = spawnSync("go", ["run", "./interop/pairs", "-n", `${count}`, "-seed", `${seed}`], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (error) throw error;
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split("\n");
}

// An object as entries, so that a member called __proto__ is compared like any other. Numbers are what
// JSON.parse makes of them on both sides: a client sees no more of a big integer than that, and 1.0 is 1.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return Object.is(value, -0) ? 0 : value;
  return { members: Object.keys(value).toSorted().map((key) => [key, plain(value[key])]) };
}

test(`${count} random patches of seed ${seed} give a client the new state`, () => {
  const lines = pairs();
  assert.equal(lines.length, count);
  let operations = 0;
  let empty = 0;
  let whole = 0; // documents that are replaced as a whole, as a patch from outside does that is too long for a delta
  for (const line of lines) {
    const { old, patch, new: want } = JSON.parse(line);
    operations += patch.length;
    if (patch.length === 0) empty++;
    if (patch.length === 1 && patch[0].path === "") whole++;
    let got;
    try {
      got = jsonpatch.applyPatch(old, patch, true, false).newDocument;
    } catch (error) {
      assert.fail(`${error.name}: ${line}`);
    }
    assert.deepEqual(plain(got), plain(want), line);
  }
  assert.ok(operations > count * 0.8 && empty < count / 3, `${operations} operations, ${empty} empty patches`);
  assert.ok(whole > count / 50, `${whole} documents are replaced as a whole`);
});
