// @ts-expect-error: the page has no types of Node, and needs none but here
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Interrupt, InterruptCard } from "../gateway/types";
import { attachCurl, quote, resumeCurl, runCurl } from "./curl";

// What a shell would hand to curl.
function words(command: string): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; GATEWAY_KEY=k; ${command}`;
  return execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

it("a run", () => {
  const [, url, ...rest] = words(runCurl("http://h:1", "my agent", "it's \"t\"", { id: "m1", role: "user", content: "It's $HOME `ls` \\ 😀\n!" }));
  expect(url).toBe("http://h:1/agents/my%20agent?disconnect=detach");
  expect(rest.slice(0, -1)).toEqual(["-H", "Authorization: Bearer k", "-H", "Content-Type: application/json", "-H", "Accept: text/event-stream", "--data-raw"]);
  expect(JSON.parse(rest.at(-1) ?? "")).toMatchObject({
    threadId: "it's \"t\"",
    messages: [{ id: "m1", role: "user", content: "It's $HOME `ls` \\ 😀\n!" }],
  });
});

it("reading on", () => {
  const url = "http://h/threads/t%2F1/events?agent=travel&follow=1&protocolVersion=1.0";
  expect(words(attachCurl("http://h", "travel", "t/1", undefined))[1]).toBe(url);
  expect(words(attachCurl("http://h", "travel", "t/1", "7-1")).at(-1)).toBe("Last-Event-ID: 7-1");
});

it("an answer to all questions", () => {
  const command = resumeCurl("http://h", "travel", "t", [
    { id: "i1", reason: "input_required", metadata: { value: { options: [{ airline: "A" }, { airline: "B" }], recommendation: { airline: "B" } } } },
    { id: "i2", reason: "confirmation" },
  ]);
  expect(JSON.parse(words(command).at(-1) ?? "")).toEqual({
    resume: [
      { interruptId: "i1", status: "resolved", payload: { airline: "B" } },
      { interruptId: "i2", status: "resolved", payload: "text" },
    ],
  });
});

describe("an answer to copy fits its question", () => {
  const answer = (interrupt: Partial<Interrupt>) => {
    const command = resumeCurl("http://h", "travel", "t", [{ id: "i", reason: "input_required", ...interrupt }]);
    return (JSON.parse(words(command).at(-1) ?? "") as { resume: { payload: unknown }[] }).resume[0]?.payload;
  };
  const value = { type: "object", properties: { value: {} }, required: ["value"] };

  it("options are wrapped as the schema wants them", () => {
    const options = ["S", "M"];
    expect(answer({ metadata: { value: { options } }, responseSchema: value })).toEqual({ value: "S" });
    expect(answer({ metadata: { value: { options, recommendation: "M" } }, responseSchema: value })).toEqual({ value: "M" });
    expect(answer({ metadata: { value: { options: [{ name: "S" }] } }, responseSchema: { type: "object" } })).toEqual({ name: "S" });
  });

  it("a call is not approved of by who copies", () => {
    const responseSchema = { type: "object", required: ["approved"], properties: { approved: { type: "boolean" }, editedArgs: { type: "object" }, reason: { type: "string" } } };
    expect(answer({ reason: "tool_call", metadata: { value: { tool: "refund", arguments: {} } as InterruptCard }, responseSchema })).toEqual({ approved: false });
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ["a text", { type: "string" }, "text"],
    ["a long text", { type: "string", minLength: 6 }, "text.."],
    ["a short text", { type: "string", maxLength: 2 }, "te"],
    ["a date", { type: "string", format: "date" }, "2030-01-31"],
    ["a mail address", { type: "string", format: "email" }, "name@example.org"],
    ["a number of a range", { type: "integer", minimum: 2.5 }, 3],
    ["a number", { type: "number", maximum: -1 }, -1],
    ["consent is not given by who copies", { type: "boolean" }, false],
    ["what is meant if nothing is said", { type: "boolean", default: true }, true],
    ["a choice", { enum: ["S", "M"] }, "S"],
    ["a constant", { const: 7 }, 7],
    ["one of several kinds", { anyOf: [{ type: "null" }, { type: "integer" }] }, 0],
    ["nothing at all", { type: "null" }, null],
    ["one of several types", { type: ["null", "integer"] }, 0],
    ["a list", { type: "array", items: { type: "string" }, minItems: 2 }, ["text", "text"]],
    ["an object", { type: "object", properties: { a: { type: "integer" }, b: {} }, required: ["a"] }, { a: 0 }],
    ["an object in an object", { properties: { a: { type: "object", properties: { b: {} }, required: ["b"] } }, required: ["a"] }, { a: { b: "text" } }],
  ])("%s", (_, responseSchema, payload) => {
    expect(answer({ responseSchema })).toEqual(payload);
  });
});

it("any word survives the shell", () => {
  for (const word of ["", "'", "''", "a'b'c", "$(x)", "\\'", "\n"]) expect(words(`curl ${quote(word)}`)).toEqual([word]);
});
