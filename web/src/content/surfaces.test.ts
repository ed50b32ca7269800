import { describe, expect, it } from "vitest";
import { drawable } from "./surfaces";

const update = (components: unknown, surfaceId = "s") => ({ version: "v0.9", updateComponents: { surfaceId, components } });

describe("a surface", () => {
  it("can be drawn where components share children, and where some have not come", () => {
    expect(drawable([update([{ id: "root", children: ["a", "b"] }, { id: "a", child: "c" }, { id: "b", child: "c" }, { id: "c", child: "later" }])])).toBe(true);
  });

  it.each([
    ["child", [{ id: "root", child: "root" }]],
    ["children", [{ id: "root", children: ["a"] }, { id: "a", children: ["root"] }]],
    ["a template", [{ id: "root", children: { componentId: "a", path: "/rows" } }, { id: "a", child: "root" }]],
    ["tabs", [{ id: "root", tabs: [{ title: "One", child: "a" }] }, { id: "a", child: "root" }]],
    ["a dialog", [{ id: "root", trigger: "a", content: "root" }]],
  ])("cannot be drawn where a component contains itself by %s", (_, components) => {
    expect(drawable([update(components)])).toBe(false);
  });

  it("is judged with what later operations change, and apart from other surfaces", () => {
    expect(drawable([update([{ id: "root", child: "a" }]), update([{ id: "a", child: "root" }], "other")])).toBe(true);
    expect(drawable([update([{ id: "root", child: "a" }]), update([{ id: "a", child: "root" }])])).toBe(false);
  });

  it("has a bound, and a long chain is none", () => {
    const chain = Array.from({ length: 2000 }, (_, i) => ({ id: i === 0 ? "root" : `c${i}`, child: `c${i + 1}` }));
    expect(drawable([update(chain)])).toBe(true);
    expect(drawable([update([...chain, { id: "more" }])])).toBe(false);
  });

  const rows = (n: number) => ({ version: "v0.9", updateDataModel: { surfaceId: "s", path: "/", value: { rows: Array.from({ length: n }, () => 1) } } });
  const list = (id: string, componentId: string) => ({ id, children: { componentId, path: "/rows" } });

  it("is not drawn more often than may be, by lists in lists or by components that share children", () => {
    const table = [list("root", "line"), { id: "line", children: ["a", "b"] }, { id: "a" }, { id: "b" }];
    expect(drawable([update(table), rows(1000)])).toBe(true);
    const cube = [list("root", "a"), list("a", "b"), list("b", "c"), { id: "c" }];
    expect(drawable([update(cube), rows(10)])).toBe(true);
    expect(drawable([update(cube), rows(300)])).toBe(false);
    const twice = Array.from({ length: 30 }, (_, i) => ({ id: i === 0 ? "root" : `c${i}`, children: [`c${i + 1}`, `c${i + 1}`] }));
    expect(drawable([update(twice)])).toBe(false);
  });

  it.each(["/__proto__/shown", "__proto__", "/a/constructor/prototype/b", "constructor//prototype"])("is not drawn with the path %s", (path) => {
    expect(drawable([{ updateDataModel: { surfaceId: "s", path, value: "x" } }])).toBe(false);
    expect(drawable([update([{ id: "root", component: "TextField", value: { path } }])])).toBe(false);
    expect(drawable([update([{ id: "root", children: { componentId: "a", path } }, { id: "a" }])])).toBe(false);
  });

  it("may have data with any name", () => {
    expect(drawable([{ updateDataModel: { surfaceId: "s", path: "/constructor", value: { prototype: 1, text: "/__proto__/x" } } }])).toBe(true);
  });

  it("of any form is judged without an error", () => {
    expect(drawable([null, 7, "text", {}, { updateComponents: null }, update("no list"), update([null, 7, { id: 7, children: 7, tabs: 7 }])])).toBe(true);
  });
});
