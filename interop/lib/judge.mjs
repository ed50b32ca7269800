// Our Verifier's judgement, from the Go program in interop/judge.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What our Verifier says of each stream: {at, rule}, where at is -1 if it is accepted. */
export function judgeOurs(streams) {
  const dir = mkdtempSync(join(tmpdir(), "agui-judge-"));
  try {
    const binary = join(dir, "judge");
    execFileSync("go", ["build", "-o", binary, "./interop/judge"], { cwd: root });
    const answer = execFileSync(binary, {
      input: streams.map((events) => JSON.stringify(events)).join("\n"),
      maxBuffer: 64 << 20,
      encoding: "utf8",
    });
    return answer.trim().split("\n").map((line) => JSON.parse(line));
  } finally {
    rmSync(dir, { recursive: true });
  }
}
