// Answers to questions, for programs and for pages with their own controls.

import { type Approval, approvalOf } from "./approval.ts";
import { cardOf } from "./card.ts";
import { answerOfDecision } from "./decision.ts";
import { decidesAlone, optionsOf } from "./draft.ts";
import { AnswerError, type AnswerProblem } from "./errors.ts";
import { same } from "./facts.ts";
import { checked, type Problem, problemsOf } from "./form/check.ts";
import { hasExact, stringify } from "./form/exact.ts";
import { schemaOf } from "./form/schema.ts";
import { firstOf, isSchema, pick } from "./schema.ts";
import type { Answer, ApprovalScope, Interrupt } from "./types.ts";

/**
 * What a question asks for: one of its options; a decision about a call of a tool, a plan or a draft; yes or no; an object with
 * members, for which there are forms; or any other value.
 */
export type QuestionKind = "options" | "call" | "plan" | "draft" | "yes-no" | "form" | "value";

/** The kind of a question. */
export function kindOf(question: Interrupt): QuestionKind {
  if (approvalOf(question)) return "call";
  const members = membersOf(question);
  if (question.reason === "confirmation" && "approved" in members) return "plan" in members ? "plan" : "draft";
  if (optionsOf(question).length > 0) return "options";
  if (decidesAlone(question.responseSchema)) return "yes-no";
  return Object.keys(members).length > 0 ? "form" : "value";
}

export interface Approved {
  /** Of a call: what it is made with instead, all of the arguments. */
  editedArgs?: Record<string, unknown>;
  /** Of a call: the later calls for which the approval counts. */
  remember?: ApprovalScope;
  /** Of a plan: the plan that is followed instead, one step a line. */
  plan?: string;
  /** For the agent. */
  reason?: string;
}

/**
 * The ways to answer a question. Each method returns an item of `resume`, and throws AnswerError with the problems if the question
 * cannot have that answer.
 */
export interface AnswerFor {
  readonly kind: QuestionKind;
  readonly options: readonly unknown[];
  /** The option that the agent recommends; undefined if there is none. */
  readonly recommendation: unknown;
  /** What a person decides on, of a question about a call. */
  readonly approval: Approval | undefined;
  /** One of the options, by its place or as it is. */
  option(which: unknown): Answer;
  /** The recommended option. */
  recommended(): Answer;
  /** A value that fits the schema of the answer. */
  value(value: unknown): Answer;
  /** Yes, to a call, a plan, a draft, or a question of yes and no. */
  approve(how?: Approved): Answer;
  /** No, and perhaps why. */
  decline(how?: { reason?: string }): Answer;
  /** What to change of a draft, a plan or a call. */
  comment(comments: string): Answer;
  /** No answer. The agent decides how to continue. */
  cancel(): Answer;
}

/** The ways to answer a question: `agent.answer([answerFor(question).approve()])`. Numbers stay exact. */
export function answerFor(question: Interrupt): AnswerFor {
  const [kind, options, approval] = [kindOf(question), optionsOf(question), approvalOf(question)];
  const { recommendation } = cardOf(question);

  const refuse = (message: string, problems: AnswerProblem[] = []): never => {
    throw new AnswerError("resume_invalid", message, problems.map((problem) => ({ interruptId: question.id, ...problem })));
  };
  const answer = (payload: unknown): Answer => resolved(question, payload);
  const fitting = (payload: unknown): Answer => {
    const problems = problemsOf(schemaOf(question), payload);
    if (problems.length > 0) refuse("The answer does not fit the question.", problemsAt("", problems));
    return answer(payload);
  };
  const decided = (approved: boolean, how: Approved): Answer => {
    const { plan, reason } = how;
    if (approval) return answer(aboutCall(approval, approved, how, refuse));
    const members = membersOf(question);
    if (!("approved" in members)) {
      if (kind !== "yes-no") return refuse("The question is none of yes and no.");
      return fitting(pick(approved, question.responseSchema && firstOf(question.responseSchema)));
    }
    const told = reason?.trim() ? { reason: reason.trim() } : {};
    return answer({ approved, ...told, ...(approved && plan !== undefined && { plan }) });
  };

  return {
    kind,
    options,
    recommendation,
    approval,
    option(which) {
      const found = options.findIndex((option) => same(option, which));
      const place = found < 0 && Number.isInteger(which) ? (which as number) : found;
      if (!(place in options)) return refuse(`The question has ${options.length} options, and this is none of them.`);
      return answer(pick(options[place], question.responseSchema));
    },
    recommended() {
      return recommendation === undefined ? refuse("The question recommends nothing.") : this.option(recommendation);
    },
    value(value) {
      return options.length > 0 && !question.responseSchema ? this.option(value) : fitting(value);
    },
    approve: (how = {}) => decided(true, how),
    decline: (how = {}) => decided(false, how),
    comment(comments) {
      if (comments.trim() === "") return refuse("A comment has words.", [{ path: "/comments", problem: "It is empty." }]);
      if (kind === "call" || "approved" in membersOf(question)) return answer({ comments: comments.trim() });
      return refuse("The question takes no comments.");
    },
    cancel: () => ({ interruptId: question.id, status: "cancelled" }),
  };
}

/** An answer with a payload. One with exact numbers is JSON in a string, because the JSON of a client would round them. */
export const resolved = ({ id }: Interrupt, payload: unknown): Answer => ({
  interruptId: id,
  status: "resolved",
  payload: hasExact(payload) ? stringify(payload) : payload,
});

type Refuse = (message: string, problems?: AnswerProblem[]) => never;

/** The payload of a decision about a call. */
function aboutCall(approval: Approval, approved: boolean, { editedArgs, remember, reason }: Approved, refuse: Refuse): unknown {
  if (editedArgs !== undefined) {
    const unseen = { path: "/editedArgs", problem: "Not all of the arguments are shown." };
    if (!approval.schema) return refuse("These arguments cannot be edited.", [unseen]);
    const { problems } = checked(approval.schema, editedArgs);
    if (problems.length > 0) return refuse("The arguments do not fit the tool.", problemsAt("/editedArgs", problems));
  }
  if (remember !== undefined && !approval.remember.includes(remember)) {
    const offered = approval.remember.join(" or ");
    const problem = offered ? `It may be ${offered}.` : "The question does not offer it.";
    return refuse("The approval cannot be remembered like this.", [{ path: "/remember", problem }]);
  }
  const edited = editedArgs && { value: editedArgs };
  const given = answerOfDecision(approval, { approved, edited, remember, ...(reason !== undefined && { reason }) });
  if (given) return given.payload;
  return refuse("The arguments do not fit the tool.", [{ path: "/editedArgs", problem: "At most 16 KiB can be sent." }]);
}

/** The problems of a form's value, at their places in the answer. */
const problemsAt = (place: string, problems: readonly Problem[]): AnswerProblem[] =>
  problems.map(({ path, text }) => ({ path: place + path, problem: text }));

/** The members that an answer may have. */
function membersOf({ responseSchema }: Interrupt): Record<string, unknown> {
  if (!isSchema(responseSchema)) return {};
  const { properties } = firstOf(responseSchema);
  return isSchema(properties) ? properties : {};
}
