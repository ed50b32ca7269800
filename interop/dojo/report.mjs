// A table of what came of the Dojo's specs: node report.mjs RESULTS.json [-tests]

import { readFileSync } from "node:fs";

const [file, flag] = process.argv.slice(2);
const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, "");

/** Every test of a suite: {spec, title, status, why}. */
function testsOf(suite, path = suite.file) {
  const inner = (suite.suites ?? []).flatMap((s) => testsOf(s, s.file ?? path));
  const own = (suite.specs ?? []).map((spec) => {
    const last = spec.tests[0]?.results.at(-1);
    const status = spec.tests[0]?.status === "skipped" ? "skipped" : spec.ok ? "passed" : "failed";
    const why = status === "failed" ? plain(last?.error?.message ?? "no reason given").split("\n").slice(0, 3).join(" ").slice(0, 240) : "";
    return { spec: (spec.file ?? path).replace(/^tests\//, ""), title: spec.title.trim(), status, why };
  });
  return [...inner, ...own];
}

const tests = JSON.parse(readFileSync(file, "utf8")).suites.flatMap((s) => testsOf(s));
const count = (status, list = tests) => list.filter((t) => t.status === status).length;

console.log("| spec | passed | failed | skipped by the Dojo |\n| --- | --- | --- | --- |");
for (const spec of [...new Set(tests.map((t) => t.spec))].sort()) {
  const mine = tests.filter((t) => t.spec === spec);
  console.log(`| ${spec} | ${count("passed", mine)} | ${count("failed", mine)} | ${count("skipped", mine)} |`);
}
console.log(`| all | ${count("passed")} | ${count("failed")} | ${count("skipped")} |`);
for (const { spec, title, status, why } of tests) {
  if (status === "failed" || flag === "-tests") console.log(`\n${status}: ${spec}: ${title}${why && `\n    ${why}`}`);
}
