// What a page talks to: the gateway, the pages themselves, the examples as their README starts them.

import { once } from "node:events";
import { spawn } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export { startGateway } from "../../lib/gateway.mjs";
export { startRedis } from "../../models/lib/redis.mjs";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Serves a folder of built files until the test file is over; returns its origin. */
export async function serveFolder(folder) {
  if (!existsSync(join(folder, "index.html"))) throw new Error(`${folder} is not built: npm run build`);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    let file = join(folder, normalize(decodeURIComponent(pathname)));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** Serves the pages of pages/, which `npm run build` has built. */
export const servePages = () => serveFolder(fileURLToPath(new URL("../dist", import.meta.url)));

/**
 * Runs a command of an example until the test file is over, and waits for the line that `ready` matches; returns what its
 * first group matched. The command leads a process group, because npm and what it starts are to end together.
 */
export async function startExample(folder, command, { env, ready }) {
  const child = spawn(command[0], command.slice(1), {
    cwd: fileURLToPath(new URL(`../../../examples/${folder}`, import.meta.url)),
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const exited = once(child, "exit");
  const lines = [];
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if (error.code !== "ESRCH") throw error; // they have ended
    }
  };
  // npm ends at once and leaves behind what takes its time, such as a development server that closes connections: the
  // pipes it holds would keep the test file from ending.
  after(async () => {
    signal("SIGTERM");
    const late = setTimeout(signal, 5_000, "SIGKILL");
    await exited;
    clearTimeout(late);
    signal("SIGKILL");
  });
  // A test file that hangs is ended from outside, and then runs no hooks.
  process.once("SIGTERM", () => {
    signal("SIGKILL");
    process.exit(143);
  });
  return new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on("line", (line) => {
        lines.push(line);
        const found = ready.exec(line);
        if (found) resolve(found[1]);
      });
    }
    exited.then(([code]) => reject(new Error(`${command.join(" ")} ended with code ${code}:\n${lines.join("\n")}`)), reject);
  });
}

/** GETs JSON: {status, text, body}. */
export async function ask(url, { headers } = {}) {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
}
