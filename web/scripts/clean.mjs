// Empties dist but for the file that keeps it in the repository: without the directory the Go package would not compile.
import { mkdir, readdir, rm } from "node:fs/promises";

const dist = new URL("../dist/", import.meta.url);
await mkdir(dist, { recursive: true }); // an image's builder starts without it
for (const name of await readdir(dist)) {
  if (name !== ".gitkeep") await rm(new URL(name, dist), { recursive: true });
}
