// What the tests of neighbours share: a gateway that can be started again with its threads, and fixtures of a model.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { startGateway } from "../../lib/gateway.mjs";
import { reservePorts } from "../../lib/ports.mjs";
import { counts, teamFile } from "../../models/lib/mock.mjs";

/** What a request of the mock's models costs. */
export const cost = { prompt: 10, completion: 5 };

const usage = counts(cost.prompt, cost.completion);

/** A model's reply that is a call of a tool. */
export const calls = (name, args) => ({ toolCalls: [{ name, arguments: args }], usage });

/** A model's reply that is words. */
export const says = (content) => ({ content, usage });

/** A team of one participant, named helper, whose state is at /helper of the thread's. */
export const teamOf = (entry) =>
  teamFile({
    agents: {
      team: { type: "groupchat", manager: { type: "sequential" }, participants: [{ name: "helper", state: { path: "/helper" }, ...entry }] },
    },
  });

/** Starts a gateway, as startGateway does, that keeps its threads in a file. again() stops it, and starts it where it was. */
export async function startKeeping(team) {
  const dir = mkdtempSync(join(tmpdir(), "agui-neighbour-"));
  after(() => rmSync(dir, { recursive: true }));
  const [port] = await reservePorts(1);
  const start = async () => {
    const gateway = await startGateway({ team, port, args: ["-store", `file:${join(dir, "threads")}`] });
    return Object.assign(gateway, {
      again: async () => {
        await gateway.stop();
        await start();
      },
    });
  };
  return start();
}

/** The tokens that a list of usage comes to, in all. */
export const tokens = (usage) => usage.reduce((sum, { totalTokens }) => sum + totalTokens, 0);
