// Hooks and cards for React. Their look is `@agui-gateway/client/style.css`.

export { SchemaForm } from "../form/SchemaForm.tsx";
export { ApprovalCard } from "./Approval.tsx";
export { CardContext, type CardParts } from "./context.ts";
export { Question } from "./Question.tsx";
export { Questions, type QuestionsProps } from "./Questions.tsx";
export { Value } from "./Value.tsx";
export { type GatewayConversation, useGatewayAgent } from "./useGatewayAgent.ts";
