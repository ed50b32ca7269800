// The client without React. `./react/index.ts` has the hooks and cards.

export { GatewayAgent, type GatewayAgentConfig } from "./agent.ts";
export { answerFor, type AnswerFor, type Approved, kindOf, type QuestionKind } from "./answer.ts";
export { type Approval, approvalOf, type Decided, decidedOf } from "./approval.ts";
export { askerOf, cardOf } from "./card.ts";
export { AnswerError, type AnswerProblem, RefusedError } from "./errors.ts";
export { type Checked, checked, type Problem, problemsOf } from "./form/check.ts";
export { Exact, hasExact, mayBeRounded, parse, stringify } from "./form/exact.ts";
export { schemaOf } from "./form/schema.ts";
export { Session, type Store } from "./session.ts";
export type { Answer, ApprovalScope, Interrupt, InterruptCard, Reason } from "./types.ts";
