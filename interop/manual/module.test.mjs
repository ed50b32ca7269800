// The module as `go get` brings it, in an empty directory: programs of the documents are built with it and run, and the page is in it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeDirectory, openShell, root } from "./lib/commands.mjs";

const proxy = makeDirectory();
execFileSync("bash", ["deploy/release/module.sh", proxy], { cwd: root, env: { ...process.env, VERSION: "" } });
const goEnv = (name) => execFileSync("go", ["env", name], { encoding: "utf8" }).trim();
// Its imports come from the modules of this checkout, and those that only their tests need from elsewhere.
const env = {
  GOPROXY: `file://${proxy},file://${join(goEnv("GOMODCACHE"), "cache", "download")},${goEnv("GOPROXY")}`,
  GONOSUMDB: "github.com/agui-gateway/gateway",
  GOMODCACHE: join(makeDirectory(), "modules"),
  GOFLAGS: `${process.env.GOFLAGS ?? ""} -modcacherw`,
};
const page = readFileSync(join(root, "docs/go.md"), "utf8");
const commands = [...page.split("## Start\n")[1].split("\n## ")[0].matchAll(/^ {4}(\S.*?)(?:\s+#.*)?$/gm)].map(([, command]) => command);

/** The program of a page that has some text. */
function program(file, text) {
  const found = [...readFileSync(join(root, file), "utf8").matchAll(/^```go\n(package main\n[^]*?)^```$/gm)].find(([, code]) => code.includes(text));
  assert.ok(found, `${file} has a program with ${text}`);
  return found[1];
}

/** Opens a shell in an empty directory with a program, and builds it with the commands of docs/go.md. */
async function build(code) {
  const shell = await openShell({ env });
  writeFileSync(join(shell.dir, "main.go"), code.replaceAll("127.0.0.1:8080", new URL(shell.url).host));
  for (const command of commands) await shell.run(command.replace("go run .", "go build -o program ."));
  return shell;
}

/** Says hello to an agent, and returns its stream. */
async function say(url, agent) {
  const response = await fetch(`${url}/agents/${agent}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ protocolVersion: "1.0", threadId: "t1", runId: "r1", messages: [{ id: "m1", role: "user", content: "Hi" }] }),
  });
  return response.text();
}

test("docs/go.md: a program of 20 lines serves an agent and the page", async () => {
  const code = program("docs/go.md", 'groupchat.Say(t, "Hello.")');
  assert.ok(code.trim().split("\n").length <= 25, "it is meant to stay short");
  const shell = await build(code);
  await shell.serve("./program");
  const index = await fetch(shell.url);
  assert.match(index.headers.get("content-type"), /^text\/html/);
  const [, script] = /<script[^>]* src="\.?\/?([^"]+)"/.exec(await index.text());
  assert.ok((await fetch(`${shell.url}/${script}`)).ok, `the page has ${script}`);
  assert.match(await say(shell.url, "hello"), /"type":"RUN_FINISHED"/);
});

test("README.md: the agent in Go asks for a size", async () => {
  const shell = await build(program("README.md", "ListenAndServe"));
  await shell.serve("./program");
  assert.match(await say(shell.url, "shop"), /Which size\?.*/);
});

test("docs/go.md: the team without a server prints what its comments say", async () => {
  const code = program("docs/go.md", "thread.Run(ctx, shop");
  const shell = await build(code);
  const printed = [...code.matchAll(/fmt\.Println\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text);
  assert.equal(await shell.run("./program"), `${printed.join("\n")}\n`);
});
