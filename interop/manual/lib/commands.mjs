// A directory in which the commands of documents are run, with ports of this test for those of the documents.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { reservePorts } from "../../lib/ports.mjs";
import { until } from "../../lib/until.mjs";

/** The root of the checkout. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

// A command may start others, so it has a process group. A test file that takes too long is ended from outside, and then runs no hooks.
const groups = new Set();
const kill = (pid, signal) => {
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended
  }
};
process.once("SIGTERM", () => process.exit(143));
process.on("exit", () => groups.forEach((pid) => kill(pid, "SIGKILL")));

// Servers end before their directories are removed.
const shells = [];
const directories = [];
after(async () => {
  await Promise.all(shells.map((shell) => shell.stop()));
  for (const dir of directories) rmSync(dir, { recursive: true });
});

/** A directory that is removed after the test file. */
export function makeDirectory() {
  const dir = mkdtempSync(join(tmpdir(), "agui-manual-"));
  directories.push(dir);
  return dir;
}

/**
 * Opens a shell in a directory: env is added to the environment of its commands. Returns {dir, url, run(), serve(), stop()}.
 */
export async function openShell({ dir = makeDirectory(), env = {} } = {}) {
  const [port] = await reservePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const shell = { dir, url };
  const start = (command, more = {}) => {
    const child = spawn("bash", ["-euo", "pipefail", "-c", command.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)], {
      cwd: shell.dir,
      env: { ...process.env, GATEWAY_ADDR: `127.0.0.1:${port}`, ...env, ...more },
      detached: true,
    });
    groups.add(child.pid);
    child.once("exit", () => groups.delete(child.pid));
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.push(text));
    return { child, ended: once(child, "close"), text: () => output.join("") };
  };
  let served;

  /** Runs a command with an input to its end, and returns its output. */
  shell.run = async (command, { input = "", code = 0, env: more } = {}) => {
    const { child, ended, text } = start(command, more);
    child.stdin.on("error", () => {}); // a command may end before it reads
    child.stdin.end(input);
    const [got] = await ended;
    assert.equal(got, code, `${command}\n${text()}`);
    return text();
  };

  /** Starts a server in place of the one before, and waits until it is ready. */
  shell.serve = async (command, { env: more, ready = "/readyz" } = {}) => {
    await shell.stop();
    served = start(command, more);
    await until(`${command} to serve`, async () => {
      if (served.child.exitCode !== null) throw new Error(`${command} has ended:\n${served.text()}`);
      return (await fetch(url + ready).catch(() => undefined))?.ok;
    });
  };

  /** Ends the server. */
  shell.stop = async () => {
    if (!served) return;
    kill(served.child.pid, "SIGTERM");
    await served.ended;
    served = undefined;
  };
  shells.push(shell);
  return shell;
}
