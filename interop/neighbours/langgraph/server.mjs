// LangGraph.js' API server with the graph of graph.mjs, in memory. The first argument is a folder for what it writes.

import { fileURLToPath } from "node:url";
import { startServer } from "@langchain/langgraph-api/server";

const { host } = await startServer({
  port: 0,
  nWorkers: 10, // runs that are at work at the same time
  host: "127.0.0.1",
  cwd: process.argv[2],
  graphs: { helper: `${fileURLToPath(new URL("graph.mjs", import.meta.url))}:graph` },
});
console.log(`listening on http://${host}`);
