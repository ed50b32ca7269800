// What the build does after Vite: says what the first view weighs and fails if that is too much, then leaves of every text
// file only its compressed forms. The Go side unpacks the gzip form for a client that takes neither: a second copy of
// everything in the binary would be for nobody.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url).pathname;
const LIMIT_KB = 800;
const TEXT = /\.(js|css|html|svg|json|txt)$/;
const WORTH = 512; // bytes; less is not worth a second file

// The chat is what one sees first, and is asked for as soon as the frame runs.
const FIRST = ["index.html", "src/chat/Chat.tsx"];

const manifest = JSON.parse(await readFile(join(DIST, ".vite/manifest.json"), "utf8"));
const first = new Set(["index.html"]);
const seen = new Set();
function need(key) {
  if (seen.has(key)) return;
  seen.add(key);
  const chunk = manifest[key];
  if (!chunk) throw new Error(`the manifest has no ${key}`);
  for (const file of [chunk.file, ...(chunk.css ?? [])]) first.add(file);
  for (const other of chunk.imports ?? []) need(other);
}
FIRST.forEach(need);
await rm(join(DIST, ".vite"), { recursive: true });

let [firstBytes, allBytes, files] = [0, 0, 0];
for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name === ".gitkeep") continue;
  const path = join(entry.parentPath, entry.name);
  const name = path.slice(DIST.length);
  const data = await readFile(path);
  files++;
  if (!TEXT.test(name) || data.length < WORTH) {
    allBytes += data.length;
    if (first.has(name)) firstBytes += data.length;
    continue;
  }
  const gz = gzipSync(data, { level: 9 });
  const br = brotliCompressSync(data, {
    // The best takes seconds for a big file: only for what everybody loads.
    params: { [constants.BROTLI_PARAM_QUALITY]: first.has(name) ? 11 : 7, [constants.BROTLI_PARAM_SIZE_HINT]: data.length },
  });
  await Promise.all([writeFile(`${path}.gz`, gz), writeFile(`${path}.br`, br), rm(path)]);
  allBytes += gz.length + br.length;
  if (first.has(name)) firstBytes += gz.length;
}

const kb = (bytes) => Math.round(bytes / 1024);
console.log(`first view: ${kb(firstBytes)} KB with gzip (at most ${LIMIT_KB}); in the binary: ${kb(allBytes)} KB, ${files} files`);
if (firstBytes > LIMIT_KB * 1024) {
  console.error("the first view is too big: find what was imported where it should be loaded later");
  process.exit(1);
}
