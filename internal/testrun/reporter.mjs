// Writes each test that ended as a line of JSON, for internal/testrun.

export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { error, duration_ms: ms, type: kind } = data.details;
    const cause = error?.cause;
    yield `${JSON.stringify({
      name: data.name,
      file: data.file ?? "",
      nesting: data.nesting,
      passed: type === "test:pass",
      suite: kind === "suite",
      skipped: data.skip !== undefined || data.todo !== undefined,
      seconds: ms / 1000,
      failure: error?.failureType ?? "",
      error: error ? String(cause?.stack ?? cause ?? error.message).slice(0, 20_000) : "",
    })}\n`;
  }
}
