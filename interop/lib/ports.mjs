// Ports for programs that cannot choose one themselves, and say which.

import { once } from "node:events";
import { createServer } from "node:net";

const TRIES = 3;

/**
 * Starts something on so many ports that nobody listened on a moment ago: start(...ports). Somebody else may take one before it
 * does; what does not start is started again on others.
 */
export async function onFreePorts(count, start) {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await start(...(await freePorts(count)));
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

// All are held until the last is found, so that none is found twice.
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
