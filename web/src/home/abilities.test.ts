import { expect, test } from "vitest";
import type { AgentInfo } from "../gateway/types";
import { abilitiesOf, filesOf } from "./abilities";

const agent: AgentInfo = { id: "desk", description: "", interrupts: false, participants: [] };

test("an agent of which nothing is known is said to do nothing in particular", () => {
  expect(abilitiesOf(agent, {})).toEqual([]);
});

test("each ability that is known is a line", () => {
  const able = { ...agent, interrupts: true, typedAnswers: true, attachments: { types: ["image/*", "application/pdf"] } };
  const can = {
    humanInTheLoop: { interrupts: true, approvals: true, approveWithEdits: true },
    tools: { supported: true },
    reasoning: { supported: true },
    multiAgent: { handoffs: true },
    custom: { a2ui: { version: "v0.9" } },
  };
  expect(abilitiesOf(able, can)).toEqual([
    "Asks you questions",
    "Takes typed answers to its questions",
    "Asks for your approval before it acts, and lets you change what it does",
    "Uses tools",
    "Takes files: images, PDF",
    "Shows forms and views of its own",
    "Shows how it reasons",
    "Its participants hand over to each other",
  ]);
});

test("types of files have names, at most six, and any type is none in particular", () => {
  expect(filesOf(["image/*", "application/x-tar"])).toBe("images, X-TAR");
  expect(filesOf(["a/a", "a/b", "a/c", "a/d", "a/e", "a/f", "a/g"])).toBe("A, B, C, D, E, F");
  expect(filesOf(["*/*"])).toBe("");
});
