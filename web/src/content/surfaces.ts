// Surfaces that would keep CopilotKit's renderer busy for ever. The gateway judges surfaces of its own agents, but passes on
// those of remote ones.

/** How many components the surfaces of one activity may have. */
const MAX_COMPONENTS = 2000;

/** Whether the operations can be drawn: there are not too many components, and none contains itself. */
export function drawable(operations: readonly unknown[]): boolean {
  const surfaces = new Map<string, Map<string, string[]>>();
  let count = 0;
  for (const operation of operations) {
    const update = member(operation, "updateComponents");
    const components = member(update, "components");
    if (!Array.isArray(components)) continue;
    const id = String(member(update, "surfaceId"));
    const known = surfaces.get(id) ?? new Map<string, string[]>();
    surfaces.set(id, known);
    count += components.length;
    if (count > MAX_COMPONENTS) return false;
    for (const component of components) known.set(String(member(component, "id")), childrenOf(component));
  }
  return [...surfaces.values()].every((components) => !hasCircle(components));
}

function childrenOf(component: unknown): string[] {
  const children = member(component, "children");
  const tabs = member(component, "tabs");
  return [
    ...(Array.isArray(children) ? children : [member(children, "componentId")]),
    ...(Array.isArray(tabs) ? tabs.map((tab) => member(tab, "child")) : []),
    ...["child", "trigger", "content"].map((name) => member(component, name)),
  ].filter((id) => typeof id === "string");
}

function hasCircle(components: ReadonlyMap<string, readonly string[]>): boolean {
  const [done, open] = [new Set<string>(), new Set<string>()];
  // An explicit stack, because a chain may be longer than the call stack is deep.
  for (const first of components.keys()) {
    const path: { id: string; next: number }[] = [{ id: first, next: 0 }];
    if (done.has(first)) continue;
    open.add(first);
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const child = components.get(at.id)?.[at.next++];
      if (child === undefined) {
        open.delete(at.id);
        done.add(at.id);
        path.pop();
      } else if (open.has(child)) {
        return true;
      } else if (!done.has(child)) {
        open.add(child);
        path.push({ id: child, next: 0 });
      }
    }
  }
  return false;
}

const member = (of: unknown, name: string): unknown => (typeof of === "object" && of !== null ? (of as Record<string, unknown>)[name] : undefined);
