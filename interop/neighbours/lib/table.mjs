// The table of docs/remotes.md: each test file has a row there, which it holds against what it has seen. UPDATE=1 writes the row.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after } from "node:test";

const page = new URL("../../../docs/remotes.md", import.meta.url);

/** The columns of the table, in order, after the framework's name. */
export const columns = ["text", "tools", "state", "question", "restart"];

const cellsOf = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());

/**
 * Begins the row of a framework, such as `row("Mastra 1.68")`. Tests tell it what they have seen, by `shows("tools", "yes")`, once for
 * each column and after the assertions that show it. When the file's tests are over, the row in docs/remotes.md must say just that.
 */
export function row(framework) {
  const seen = new Map();
  after(() => {
    const wanted = [framework, ...columns.map((column) => seen.get(column) ?? "not shown")];
    const lines = readFileSync(page, "utf8").split("\n");
    const head = lines.findIndex((line) => cellsOf(line).join() === ["framework", ...columns].join());
    assert.notEqual(head, -1, "docs/remotes.md has no table of frameworks");
    const end = lines.findIndex((line, i) => i > head && !line.startsWith("|"));
    const at = lines.findIndex((line, i) => i > head && i < end && cellsOf(line)[0] === framework);
    if (process.env.UPDATE) {
      lines.splice(at === -1 ? end : at, at === -1 ? 0 : 1, `| ${wanted.join(" | ")} |`);
      return writeFileSync(page, lines.join("\n"));
    }
    assert.deepEqual(at === -1 ? [] : cellsOf(lines[at]), wanted, "docs/remotes.md says something else; UPDATE=1 writes the row");
  });
  return {
    shows(column, words) {
      assert.ok(columns.includes(column), column);
      seen.set(column, words);
    },
  };
}
