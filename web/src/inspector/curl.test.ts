// @ts-expect-error: the page has no types of Node, and needs none but here
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
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
      { interruptId: "i2", status: "resolved", payload: {} },
    ],
  });
});

it("any word survives the shell", () => {
  for (const word of ["", "'", "''", "a'b'c", "$(x)", "\\'", "\n"]) expect(words(`curl ${quote(word)}`)).toEqual([word]);
});
