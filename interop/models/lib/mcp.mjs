// A real MCP server from npm, which has one tool of everything.

import { fileURLToPath } from "node:url";
import { reservePorts } from "../../lib/ports.mjs";
import { startProgram } from "./program.mjs";

const program = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url));

/** How a gateway starts the server for itself. */
export const command = [process.execPath, program, "stdio"];

/**
 * Starts the server over streamable HTTP until the test file is over: {url, stop()}. It listens on all interfaces and
 * takes no other; nothing it does reaches beyond its process.
 */
export async function startServer() {
  const [port] = await reservePorts(1);
  const { stop } = await startProgram(process.execPath, [program, "streamableHttp"], {
    ready: /listening on port/,
    env: { PORT: String(port) },
  });
  return { url: `http://127.0.0.1:${port}/mcp`, stop };
}
