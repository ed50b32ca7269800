// Sorts CopilotKit's errors by the message for people.

import { CopilotKitCoreErrorCode } from "@copilotkit/react-core/v2";
import { refusedFile } from "../files/parts";

export type Failure =
  /** The gateway may be away: the banner says so if it is. */
  | { kind: "connection" }
  | { kind: "notice"; text: string; code?: string }
  /** Another part of the page shows it, or there is nothing to show. */
  | { kind: "quiet" };

interface HttpError extends Error {
  status?: number;
  payload?: unknown;
  code?: unknown;
}

export function describe(error: HttpError, kind: CopilotKitCoreErrorCode | string): Failure {
  if (typeof error.status === "number" && error.status > 0) {
    const { code, message } = refusalIn(error.payload);
    const file = refusedFile(message ?? "", true);
    if (file) return { kind: "notice", text: `A file was not taken. ${file.problem}`, ...(code && { code }) };
    if (error.status === 413) return { kind: "notice", text: "This is too large for the gateway. Send less at once.", ...(code && { code }) };
    if (error.status === 403 && !code) return { kind: "notice", text: "Something before the gateway refused this (403). Reload the page if you have to sign in there." };
    if (error.status === 403) return { kind: "notice", text: "You are not allowed to do this.", ...(code && { code }) };
    if (error.status === 429) return { kind: "notice", text: "There were too many requests. Wait a moment, then try again.", ...(code && { code }) };
    if (error.status === 502 || error.status === 503 || error.status === 504) return { kind: "connection" };
    return { kind: "notice", text: message ?? `The gateway answered ${error.status}.`, ...(code && { code }) };
  }
  switch (kind) {
    case CopilotKitCoreErrorCode.AGENT_RUN_ERROR_EVENT:
      return {
        kind: "notice",
        text: sentence(error.message) || "The agent could not finish.",
        ...(typeof error.code === "string" && { code: error.code }),
      };
    case CopilotKitCoreErrorCode.RUNTIME_INFO_FETCH_FAILED:
      return { kind: "connection" };
    case CopilotKitCoreErrorCode.AGENT_CONNECT_FAILED:
    case CopilotKitCoreErrorCode.AGENT_RUN_FAILED:
    case CopilotKitCoreErrorCode.AGENT_RUN_FAILED_EVENT:
      // A cut stream, or a refusal to send while a question is open: asking the gateway tells them apart.
      return { kind: "connection" };
    default:
      return { kind: "quiet" };
  }
}

function refusalIn(payload: unknown): { code?: string; message?: string } {
  const { error, ...whole } = (payload ?? {}) as { error?: unknown; code?: unknown; message?: unknown };
  if (typeof error === "string" && typeof whole.message === "string") return refusalIn({ error: whole });
  if (typeof error === "string") return { message: sentence(error) };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    ...(typeof code === "string" && { code }),
    ...(typeof message === "string" && { message: sentence(message) }),
  };
}

function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const upper = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(upper) ? upper : `${upper}.`;
}
