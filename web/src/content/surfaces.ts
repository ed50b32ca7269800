// Surfaces that would keep CopilotKit's renderer busy for ever. The gateway judges surfaces of its own agents, but passes on
// those of remote ones.

/** How many components the surfaces of one activity may have. */
const MAX_COMPONENTS = 2000;

/** How many components may be drawn, where one is drawn for each place that it has and for each row of a list. */
const MAX_DRAWN = 20_000;

/** A path into the data that reaches what all objects of the page share. The renderer writes where it leads. */
const SHARED = /(^|\/)(__proto__|constructor\/+prototype)(\/|$)/;

/**
 * Whether the operations can be drawn: there are not too many components, none contains itself, they are not drawn too often, and no path
 * leads out of the data.
 */
export function drawable(operations: readonly unknown[]): boolean {
  if (leavesData(operations)) return false;
  const surfaces = new Map<string, Map<string, Child[]>>();
  let count = 0;
  for (const operation of operations) {
    const update = member(operation, "updateComponents");
    const components = member(update, "components");
    if (!Array.isArray(components)) continue;
    const id = String(member(update, "surfaceId"));
    const known = surfaces.get(id) ?? new Map<string, Child[]>();
    surfaces.set(id, known);
    count += components.length;
    if (count > MAX_COMPONENTS) return false;
    for (const component of components) known.set(String(member(component, "id")), childrenOf(component));
  }
  const rows = Math.max(1, ...operations.map((operation) => longestList(member(operation, "updateDataModel"))));
  return [...surfaces.values()].every((components) => !hasCircle(components) && drawn(components, rows) <= MAX_DRAWN);
}

/** Whether a member named path, anywhere, leads to what all objects share. */
function leavesData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, inner]) => (typeof inner === "string" ? name === "path" && SHARED.test(inner) : leavesData(inner)));
}

/** The length of the longest list in a value. */
function longestList(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce<number>((most, one) => Math.max(most, longestList(one)), 0);
  return Array.isArray(value) ? Math.max(value.length, inner) : inner;
}

/** How many components are drawn at most, where a template is drawn for each row of a list. There are no circles. */
function drawn(components: ReadonlyMap<string, readonly Child[]>, rows: number): number {
  const known = new Map<string, number>();
  const of = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    let sum = 1;
    for (const child of components.get(id) ?? []) sum += (child.repeated ? rows : 1) * of(child.id);
    known.set(id, sum);
    return sum;
  };
  return of("root");
}

/** A component in another one; one that is repeated is a template for the rows of a list. */
interface Child {
  id: string;
  repeated: boolean;
}

function childrenOf(component: unknown): Child[] {
  const children = member(component, "children");
  const tabs = member(component, "tabs");
  const single = [
    ...(Array.isArray(children) ? children : []),
    ...(Array.isArray(tabs) ? tabs.map((tab) => member(tab, "child")) : []),
    ...["child", "trigger", "content"].map((name) => member(component, name)),
  ].map((id) => ({ id, repeated: false }));
  return [...single, { id: member(children, "componentId"), repeated: true }].filter((child): child is Child => typeof child.id === "string");
}

function hasCircle(components: ReadonlyMap<string, readonly Child[]>): boolean {
  const [done, open] = [new Set<string>(), new Set<string>()];
  // An explicit stack, because a chain may be longer than the call stack is deep.
  for (const first of components.keys()) {
    const path: { id: string; next: number }[] = [{ id: first, next: 0 }];
    if (done.has(first)) continue;
    open.add(first);
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const child = components.get(at.id)?.[at.next++]?.id;
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
