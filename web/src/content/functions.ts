// The functions that a surface may call. A value of a surface calls its functions whenever it is drawn, and again with each key that a
// person presses, so the list has what only computes.

import { basicCatalog } from "@copilotkit/a2ui-renderer";

/** The functions that a value may call. A regular expression may never end, and an address that opens sends the typed text to its host. */
const ALLOWED = new Set([
  ...["add", "subtract", "multiply", "divide"],
  ...["equals", "not_equals", "greater_than", "less_than"],
  ...["and", "or", "not"],
  ...["contains", "starts_with", "ends_with"],
  ...["required", "length", "numeric", "email"],
  ...["formatString", "formatNumber", "formatCurrency", "formatDate", "pluralize"],
]);

export const functions = [...basicCatalog.functions.values()].filter(({ name }) => ALLOWED.has(name));

/** The address that an action opens, as the surface has it: any dynamic value. Undefined if the action does something else. */
export function addressOf(action: unknown): unknown {
  const call = member(action, "functionCall");
  return member(call, "call") === "openUrl" ? member(member(call, "args"), "url") : undefined;
}

const member = (of: unknown, name: string): unknown => (typeof of === "object" && of !== null ? (of as Record<string, unknown>)[name] : undefined);
