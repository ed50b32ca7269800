import { expect, test, vi } from "vitest";
import { GatewayError } from "../../gateway/api";
import { applyEdit, type StateRoutes } from "./applyEdit";
import type { Edit } from "./edit";

const edit: Edit = { id: "e", what: "change", path: "/a", name: "", list: false, kind: "Text", text: "new", base: "old" };
const changed = new GatewayError(412, "state_changed", "The state has changed.");
const quietly = { over: false, onPending: () => {} };

/** Routes of a thread with each of states in turn; the last one stays. */
function routes(states: unknown[], more: Partial<StateRoutes> = {}): StateRoutes {
  let reads = 0;
  return {
    read: async () => ({ state: states[Math.min(reads++, states.length - 1)], tag: `"${reads}"` }),
    patch: vi.fn<StateRoutes["patch"]>(async () => ({ patch: "p", status: "applied" })),
    result: async () => ({ patch: "p", status: "applied" }),
    pause: async () => {},
    ...more,
  };
}

test("an edit is a patch for the state that was read", async () => {
  const at = routes([{ a: "old", b: 1 }]);
  expect(await applyEdit(edit, at, quietly)).toBeUndefined();
  expect(at.patch).toHaveBeenCalledExactlyOnceWith([{ op: "replace", path: "/a", value: "new" }], '"1"', "e-1");
});

test("a change elsewhere has the patch made again, with another key", async () => {
  const patch = vi.fn<StateRoutes["patch"]>().mockRejectedValueOnce(changed).mockResolvedValueOnce({ patch: "p", status: "applied" });
  expect(await applyEdit(edit, routes([{ a: "old" }, { a: "old", b: 2 }], { patch }), quietly)).toBeUndefined();
  expect(patch.mock.calls.map(([, tag, key]) => [tag, key])).toEqual([['"1"', "e-1"], ['"2"', "e-2"]]);
});

test("what somebody else made of the value is returned and not overwritten, unless that is wanted", async () => {
  const at = routes([{ a: "theirs" }]);
  expect(await applyEdit(edit, at, quietly)).toEqual({ now: "theirs" });
  expect(at.patch).not.toHaveBeenCalled();
  expect(await applyEdit(edit, at, { ...quietly, over: true })).toBeUndefined();
  expect(at.patch).toHaveBeenCalledOnce();
});

test("a patch that waits for a turn is asked after until it is applied, and made again if the turn changed the state", async () => {
  const onPending = vi.fn();
  const patch = vi.fn<StateRoutes["patch"]>(async () => ({ patch: "p", status: "pending" }));
  const result = vi.fn<StateRoutes["result"]>()
    .mockResolvedValueOnce({ patch: "p", status: "pending" })
    .mockRejectedValueOnce(changed)
    .mockResolvedValueOnce({ patch: "p", status: "applied" });
  expect(await applyEdit(edit, routes([{ a: "old" }], { patch, result }), { over: false, onPending })).toBeUndefined();
  expect([patch.mock.calls.length, result.mock.calls.length]).toEqual([2, 3]);
  expect(onPending).toHaveBeenCalled();
});

test("a refusal is thrown, and so is a state that does not keep still", async () => {
  const forbidden = new GatewayError(403, "forbidden", "No.");
  await expect(applyEdit(edit, routes([{ a: "old" }], { patch: async () => Promise.reject(forbidden) }), quietly)).rejects.toBe(forbidden);
  const patch = vi.fn<StateRoutes["patch"]>(async () => Promise.reject(changed));
  await expect(applyEdit(edit, routes([{ a: "old" }], { patch }), quietly)).rejects.toBe(changed);
  expect(patch).toHaveBeenCalledTimes(5);
});

test("an edit that is in the state already is not made twice", async () => {
  const at = routes([{ a: "new" }]);
  expect(await applyEdit(edit, at, quietly)).toBeUndefined();
  expect(at.patch).not.toHaveBeenCalled();
});
