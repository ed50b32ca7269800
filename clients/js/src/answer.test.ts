import { describe, expect, test } from "vitest";
import { answerFor, kindOf, type QuestionKind } from "./answer.ts";
import { AnswerError, type AnswerProblem } from "./errors.ts";
import type { Answer, Interrupt } from "./types.ts";

const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const boolean = { type: "boolean" };
const text = { type: "string" };

const questions = {
  flight: { metadata: { value: { options: [{ airline: "KLM" }, { airline: "United" }], recommendation: { airline: "United" } } } },
  size: { responseSchema: object({ size: { enum: ["S", "M"] } }, ["size"]) },
  sure: { responseSchema: object({ value: boolean }, ["value"]) },
  room: { responseSchema: object({ beds: { type: "integer", maximum: 4 }, note: text }, ["beds"]) },
  words: { responseSchema: {} },
  draft: { reason: "confirmation", responseSchema: object({ approved: boolean, comments: text }) },
  plan: { reason: "confirmation", responseSchema: object({ approved: boolean, comments: text, plan: text }) },
  refund: {
    reason: "tool_call",
    metadata: {
      value: {
        tool: "refund",
        arguments: { order: 9007199254740992, euros: 40 },
        argumentsText: '{"order":9007199254740993,"euros":40}',
        schema: object({ order: { type: "integer" }, euros: { type: "integer", maximum: 100 } }),
        remember: ["thread"],
      },
    },
    responseSchema: object({ approved: boolean, editedArgs: { type: "object" }, reason: text }, ["approved"]),
  },
  masked: {
    reason: "tool_call",
    metadata: { value: { tool: "pay", arguments: { card: "***" }, masked: true } },
    responseSchema: object({ approved: boolean }, ["approved"]),
  },
} as const;

const question = (name: keyof typeof questions) => ({ id: name, reason: "input_required", ...questions[name] }) as unknown as Interrupt;

test.each<[keyof typeof questions, QuestionKind]>([
  ["flight", "options"],
  ["size", "options"],
  ["sure", "yes-no"],
  ["room", "form"],
  ["words", "value"],
  ["draft", "draft"],
  ["plan", "plan"],
  ["refund", "call"],
])("the question %s is of the kind %s", (name, kind) => expect(kindOf(question(name))).toBe(kind));

type Ways = ReturnType<typeof answerFor>;

describe("an answer is a payload", () => {
  test.each<[keyof typeof questions, string, (ways: Ways) => Answer, unknown]>([
    ["flight", "an option by its place", (q) => q.option(0), { airline: "KLM" }],
    ["flight", "an option as it is", (q) => q.option({ airline: "United" }), { airline: "United" }],
    ["flight", "the recommended one", (q) => q.recommended(), { airline: "United" }],
    ["flight", "an option as a value", (q) => q.value({ airline: "KLM" }), { airline: "KLM" }],
    ["size", "an option of the schema", (q) => q.option("M"), { size: "M" }],
    ["sure", "yes", (q) => q.approve(), { value: true }],
    ["sure", "no", (q) => q.decline(), { value: false }],
    ["room", "a form", (q) => q.value({ beds: 2 }), { beds: 2 }],
    ["words", "a text", (q) => q.value("By the window"), "By the window"],
    ["draft", "yes", (q) => q.approve(), { approved: true }],
    ["draft", "no, and why", (q) => q.decline({ reason: " too long " }), { approved: false, reason: "too long" }],
    ["draft", "a comment", (q) => q.comment("Shorter"), { comments: "Shorter" }],
    ["plan", "another plan", (q) => q.approve({ plan: "count" }), { approved: true, plan: "count" }],
    ["refund", "yes, for the conversation", (q) => q.approve({ remember: "thread" }), { approved: true, remember: "thread" }],
    ["refund", "no", (q) => q.decline({ reason: "not this customer" }), { approved: false, reason: "not this customer" }],
    ["masked", "yes", (q) => q.approve(), { approved: true }],
  ])("%s: %s", (name, _, give, payload) =>
    expect(give(answerFor(question(name)))).toEqual({ interruptId: name, status: "resolved", payload }),
  );

  test("of JSON in a string where a number is longer than those of JavaScript", () => {
    const refund = answerFor(question("refund"));
    const editedArgs = { ...(refund.approval?.arguments as object), euros: 20 };
    expect(refund.approve({ editedArgs })).toEqual({
      interruptId: "refund",
      status: "resolved",
      payload: '{"approved":true,"editedArgs":{"order":9007199254740993,"euros":20}}',
    });
  });

  test("or none", () => expect(answerFor(question("room")).cancel()).toEqual({ interruptId: "room", status: "cancelled" }));
});

describe("an answer that a question cannot have is refused, with the place of each problem", () => {
  test.each<[keyof typeof questions, string, (ways: Ways) => Answer, Partial<AnswerProblem>[]]>([
    ["flight", "no option", (q) => q.option({ airline: "SAS" }), []],
    ["flight", "a place that is none", (q) => q.option(2), []],
    ["size", "no recommendation", (q) => q.recommended(), []],
    ["room", "too much", (q) => q.value({ beds: 5 }), [{ path: "/beds", problem: "At most 4, please." }]],
    ["room", "too little", (q) => q.value({}), [{ path: "/beds", problem: "Please answer this." }]],
    ["room", "no yes or no", (q) => q.approve(), []],
    ["draft", "an empty comment", (q) => q.comment(" "), [{ path: "/comments" }]],
    ["refund", "arguments that do not fit", (q) => q.approve({ editedArgs: { euros: 200 } }), [{ path: "/editedArgs/euros", problem: "At most 100, please." }]],
    ["refund", "another scope", (q) => q.approve({ remember: "principal" }), [{ path: "/remember" }]],
    ["masked", "edited arguments", (q) => q.approve({ editedArgs: { card: "1" } }), [{ path: "/editedArgs" }]],
  ])("%s: %s", (name, _, give, problems) => {
    let refusal: unknown;
    try {
      give(answerFor(question(name)));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(AnswerError);
    expect((refusal as AnswerError).problems).toEqual(problems.map((problem) => expect.objectContaining({ interruptId: name, ...problem })));
  });
});
