// Tables of docs/ that tests make: each test file has rows there, which it holds against what it has seen. UPDATE=1 writes them.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after } from "node:test";
import { isDeepStrictEqual } from "node:util";

const cellsOf = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());

/**
 * The table of a page of docs/ whose head is `name` and the columns. Returns a function that begins a row, such as `row("Mastra 1.68")`. Tests
 * tell the row what they have seen, by `shows("tools", "yes")`, once for each column and after the assertions that show it. When the
 * file's tests are over, the page must say just that.
 */
export const table = (file, name, columns) => (subject) => {
  const page = new URL(`../../../docs/${file}`, import.meta.url);
  const seen = new Map();
  after(() => {
    const wanted = [subject, ...columns.map((column) => seen.get(column) ?? "not shown")];
    const lines = readFileSync(page, "utf8").split("\n");
    const head = lines.findIndex((line) => cellsOf(line).join() === [name, ...columns].join());
    assert.notEqual(head, -1, `docs/${file} has no such table`);
    const end = lines.findIndex((line, i) => i > head && !line.startsWith("|"));
    const at = lines.findIndex((line, i) => i > head && i < end && cellsOf(line)[0] === subject);
    if (process.env.UPDATE) {
      lines.splice(at === -1 ? end : at, at === -1 ? 0 : 1, `| ${wanted.join(" | ")} |`);
      return writeFileSync(page, lines.join("\n"));
    }
    if (isDeepStrictEqual(at === -1 ? [] : cellsOf(lines[at]), wanted)) return;
    // An error would keep the hooks from running that end the file's servers, and the file from ending.
    console.error(`docs/${file} has ${lines[at] ?? "no row"}, and seen was ${wanted.join(" | ")}; UPDATE=1 writes the row`);
    process.exitCode = 1;
  });
  return {
    shows(column, words) {
      assert.ok(columns.includes(column), column);
      seen.set(column, words);
    },
  };
};

/** Begins the row of a framework whose agents are members of a team, in docs/remotes.md. */
export const row = table("remotes.md", "framework", ["text", "tools", "state", "question", "restart"]);

/** Begins the row of a front end, in docs/clients.md. */
export const clientRow = table("clients.md", "client", ["text", "tools", "page's tools", "state", "question", "stop", "reload", "subagents"]);
