// Programs that are not ours, run for as long as a test file needs them.

import { once } from "node:events";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after } from "node:test";

/**
 * Starts a program itself, with no shell or launcher between that would outlive it, and waits for the line that says it
 * is ready. Returns {ready, stop()}: ready is what the line matched. It is stopped when the test file is over.
 */
export async function startProgram(command, args, { ready, env = {} }) {
  const program = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  const exited = once(program, "exit");
  const stop = async () => {
    program.kill("SIGKILL"); // none of them keeps anything
    await exited;
  };
  after(stop);
  const lines = [];
  const found = await new Promise((resolve, reject) => {
    for (const output of [program.stdout, program.stderr]) {
      createInterface({ input: output }).on("line", (line) => {
        if (lines.length < 200) lines.push(line);
        const match = ready.exec(line);
        if (match) resolve(match);
      });
    }
    exited.then(([code]) => reject(new Error(`${command} ended with code ${code}:\n${lines.join("\n")}`)), reject);
  });
  return { ready: found, stop };
}
