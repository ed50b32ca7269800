import { expect, test } from "vitest";
import { RefusedError, refusalIn } from "./errors.ts";

const details = [{ interruptId: "q", path: "/beds", problem: "more than 4" }];

test.each<[string, Record<string, unknown>]>([
  ["a run that ends with it", { type: "RUN_ERROR", code: "resume_invalid", message: "It does not fit.", metadata: { details } }],
  ["a question that is asked again", { type: "CUSTOM", name: "gateway.refused", value: { code: "resume_invalid", message: "It does not fit.", details } }],
])("a refusal in %s has its problems", (_, event) => {
  expect(refusalIn(event)).toMatchObject({ code: "resume_invalid", problems: details, message: "It does not fit.\n/beds: more than 4" });
});

test.each<[string, Record<string, unknown>, unknown]>([
  ["another error", { type: "RUN_ERROR", code: "model_unavailable", message: "Try again." }, undefined],
  ["a refusal without problems", { type: "RUN_ERROR", code: "interrupt_expired", message: "Too late.", metadata: { details: "none" } }, []],
  ["another event", { type: "RUN_FINISHED" }, undefined],
])("%s", (_, event, problems) => expect(refusalIn(event)?.problems).toEqual(problems));

test.each<[string, string, Partial<RefusedError>]>([
  ["the gateway's", JSON.stringify({ error: { code: "resume_invalid", message: "It does not fit.", details } }), { code: "resume_invalid", message: "It does not fit.", problems: details }],
  ["a proxy's", "<html>", { code: "", message: "HTTP 429: <html>", problems: [] }],
])("an answer of HTTP is read: %s", (_, body, want) => {
  const response = new Response(body, { status: 429, headers: { "Retry-After": "600" } });
  expect(new RefusedError(response, body)).toMatchObject({ status: 429, retryAfter: 30_000, ...want });
});
