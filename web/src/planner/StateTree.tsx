import { words } from "./answer";

/** The shared state of an agent that has no view of its own, as a tree one can read. */
export function StateTree({ state }: { state: unknown }) {
  const empty = typeof state !== "object" || state === null || Object.keys(state).length === 0;
  return (
    <section className="card state" aria-labelledby="state-title" data-testid="state-tree">
      <h2 id="state-title">Shared state</h2>
      {empty ? <p className="muted">Nothing yet.</p> : <Branch value={state} depth={0} />}
    </section>
  );
}

function Branch({ value, depth }: { value: unknown; depth: number }) {
  const entries = Array.isArray(value) ? value.map((v, i) => [String(i + 1), v] as const) : Object.entries(value as object);
  return (
    <ul className="branch">
      {entries.map(([key, v]) => (
        <li key={key}>{isTree(v) ? <Limb name={key} value={v} depth={depth} /> : <Leaf name={key} value={v} />}</li>
      ))}
    </ul>
  );
}

function Limb({ name, value, depth }: { name: string; value: object; depth: number }) {
  const count = Object.keys(value).length;
  if (count === 0) return <Leaf name={name} value={Array.isArray(value) ? "none" : "empty"} />;
  return (
    <details open={depth < 2}>
      <summary>
        {words(name)} <span className="muted">{Array.isArray(value) ? count : ""}</span>
      </summary>
      <Branch value={value} depth={depth + 1} />
    </details>
  );
}

function Leaf({ name, value }: { name: string; value: unknown }) {
  return (
    <p className="leaf">
      <span className="leaf-name">{words(name)}</span>
      <span>{value === null ? "none" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value)}</span>
    </p>
  );
}

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null;
