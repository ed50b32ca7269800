// The agent of server.mjs, as a test sees it.

import { fileURLToPath } from "node:url";
import { startProgram } from "../../models/lib/program.mjs";

/**
 * Starts the agent, of that version of A2A. Returns {url, told(), reset(), close(), open(), cut(), forget()}: told() is {inputs, cancellations}, the
 * messages that it was sent and the tasks that were cancelled there, since reset(); close() makes slow work wait for open(), cut() ends all connections,
 * forget() loses all tasks.
 */
export async function startAgent({ version = "1.0", streaming = true } = {}) {
  const { ready } = await startProgram(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
    ready: /listening on (http:\S+)/,
    env: { VERSION: version, STREAMING: String(streaming) },
  });
  const [, url] = ready;
  const steer = async (what) => (await fetch(`${url}/control/${what}`, { method: "POST" })).json();
  return {
    url,
    told: () => steer("told"),
    reset: () => steer("reset"),
    close: () => steer("close"),
    open: () => steer("open"),
    cut: () => steer("cut").catch(() => {}), // its own connection, too
    forget: () => steer("forget"),
  };
}
