// Ports for programs that cannot choose their own.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Reserves count ports of 127.0.0.1 until this process ends. The system gives them to no other program, also while the program that
 * listens on one is restarted. Node cannot bind to a port without listening on it, so interop/ports does.
 */
export async function reservePorts(count) {
  const dir = mkdtempSync(join(tmpdir(), "agui-ports-"));
  try {
    const binary = join(dir, "ports");
    execFileSync("go", ["build", "-o", binary, "./interop/ports"], { cwd: root });
    const holder = spawn(binary, [String(count)], { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: holder.stdout }), "line", { signal: AbortSignal.timeout(60_000) });
    // It ends when its standard input does, which is when this process ends. Until then nothing here waits for it.
    for (const handle of [holder, holder.stdin, holder.stdout]) handle.unref();
    return line.split(" ").map(Number);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
