// Approvals of tool calls: what the question about a call shows, and what a result says was decided (docs/approvals.md).

import { parse } from "./form/exact.ts";
import { isSchema, type Schema } from "./schema.ts";
import type { ApprovalScope, Interrupt } from "./types.ts";

/** What a person is shown of the call that they decide on. */
export interface Approval {
  tool: string;
  description: string;
  /** What the model last said. */
  why: string;
  /** What the tool would be called with; a text, their beginning, if they are truncated; absent if they cannot be shown. */
  arguments?: unknown;
  /** The arguments are too long to be shown whole. */
  truncated: boolean;
  /** The arguments are shown with parts replaced. */
  masked: boolean;
  /** What edited arguments have to fit; absent if the arguments cannot be edited. */
  schema?: Schema;
  /** The answer may say why. */
  reasons: boolean;
  /** The later calls for which the answer may count. */
  remember: readonly ApprovalScope[];
}

const scopes: readonly ApprovalScope[] = ["thread", "principal"];

/** What an interrupt says of the call that it asks about; undefined if it asks about something else. */
export function approvalOf({ reason, metadata, responseSchema }: Interrupt): Approval | undefined {
  const value: unknown = metadata?.["value"];
  if (reason !== "tool_call" || !isSchema(value) || typeof value["tool"] !== "string") return undefined;
  const { arguments: given, schema, remember } = value;
  const truncated = value["truncated"] === true;
  const masked = value["masked"] === true;
  const members = isSchema(responseSchema) && isSchema(responseSchema["properties"]) ? responseSchema["properties"] : {};
  const approval: Approval = {
    tool: value["tool"],
    description: text(value["description"]),
    why: text(value["why"]),
    truncated,
    masked,
    reasons: "reason" in members,
    remember: Array.isArray(remember) ? scopes.filter((scope) => remember.includes(scope)) : [],
  };
  const shown = exactly(given, value["argumentsText"]);
  if (shown !== undefined) approval.arguments = shown;
  const edited = members["editedArgs"];
  if (!truncated && !masked && isSchema(given) && isSchema(edited)) approval.schema = withoutDefaults(isSchema(schema) ? schema : edited);
  return approval;
}

/** The arguments with their numbers as they are written, where a browser would round them. */
function exactly(given: unknown, written: unknown): unknown {
  if (!isSchema(given) || typeof written !== "string") return given;
  try {
    const exact = parse(written, { spelling: true });
    return isSchema(exact) ? exact : given;
  } catch {
    return given;
  }
}

const known = new WeakMap<Schema, Schema>();

/** The schema without defaults: an edit adds no argument. */
function withoutDefaults(schema: Schema): Schema {
  let bare = known.get(schema);
  if (!bare) known.set(schema, (bare = bared(schema) as Schema));
  return bare;
}

/** Keywords with a map of schemas, and keywords with plain values. */
const [NAMED, VALUES] = [new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]), new Set(["const", "enum", "examples"])];

function bared(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(bared);
  if (!isSchema(part)) return part;
  const members = Object.entries(part).filter(([key]) => key !== "default");
  return Object.fromEntries(members.map(([key, value]) => [key, VALUES.has(key) ? value : NAMED.has(key) && isSchema(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bared(inner)])) : bared(value)]));
}

/** The decision about a call. */
export interface Decided {
  decision: "approved" | "edited" | "declined" | "cancelled" | "remembered";
  /** The person's. */
  reason: string;
  /** Those that the tool was called with, if they were edited. */
  arguments?: unknown;
  /** How long the approval counts that was given with the answer, or under which the call was made. */
  remember?: ApprovalScope;
  /** The principal who decided. */
  by: string;
}

const decisions: readonly Decided["decision"][] = ["approved", "edited", "declined", "cancelled", "remembered"];

/** The decision about a call in its result's metadata; undefined without a question. */
export function decidedOf(metadata: Record<string, unknown> | undefined): Decided | undefined {
  const told: unknown = metadata?.["approval"];
  if (!isSchema(told)) return undefined;
  const decision = decisions.find((known) => known === told["decision"]);
  if (!decision) return undefined;
  const decided: Decided = { decision, reason: text(told["reason"]), by: text(told["by"]) };
  if (decision === "edited") decided.arguments = told["arguments"];
  const remember = scopes.find((scope) => scope === told["remember"]);
  if (remember) decided.remember = remember;
  return decided;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
