import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { type Node, nodesOf } from "./tree";

interface Props {
  value: unknown;
  /** What the shown version changed, by path. */
  marks: ReadonlyMap<string, "changed" | "added" | "inside">;
  /** Grows with each version, so that the same member flashes again. */
  version: number;
}

const said = { changed: "changed", added: "new", inside: "change inside" } as const;

/** The state as a tree, by the keys of a tree: arrows, Home, End. */
export function StateTree({ value, marks, version }: Props) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map()); // opened or closed by hand
  const [active, setActive] = useState<string>();
  const tree = useRef<HTMLUListElement>(null);
  const focus = useRef(false);

  const nodes = useMemo(
    () =>
      nodesOf(value, {
        isOpen: (path, level, size) => chosen.get(path) ?? ((marks.has(path) && marks.size <= 50) || (level === 1 && size <= 8)),
        wanted: (path) => marks.size <= 50 && marks.has(path),
      }),
    [value, chosen, marks],
  );
  useEffect(() => {
    if (!focus.current) return;
    focus.current = false;
    tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [active, nodes]);

  const at = Math.max(0, nodes.findIndex(({ path }) => path === active));
  const set = (node: Node, open: boolean) => setChosen(new Map(chosen).set(node.path, open));

  function pressed(e: KeyboardEvent) {
    const node = nodes[at];
    if (!node || e.altKey || e.ctrlKey || e.metaKey) return;
    let to: Node | undefined = node;
    if (e.key === "ArrowDown") to = nodes[at + 1];
    else if (e.key === "ArrowUp") to = nodes[at - 1];
    else if (e.key === "Home") to = nodes[0];
    else if (e.key === "End") to = nodes.at(-1);
    else if (e.key === "ArrowRight" && node.branch && !node.open) set(node, true);
    else if (e.key === "ArrowRight" && node.open) to = nodes[at + 1];
    else if (e.key === "ArrowLeft" && node.open) set(node, false);
    else if (e.key === "ArrowLeft") to = nodes.slice(0, at).findLast((n) => n.level < node.level);
    else if ((e.key === "Enter" || e.key === " ") && node.branch) set(node, !node.open);
    else return;
    e.preventDefault();
    if (!to) return;
    focus.current = true;
    setActive(to.path);
  }

  if (nodes.length === 0) {
    return (
      <p className="insp-quiet" data-testid="state-tree">
        The state is empty.
      </p>
    );
  }
  return (
    <ul className="insp-tree" role="tree" aria-label="State" ref={tree} onKeyDown={pressed} data-testid="state-tree">
      {nodes.map((node, i) => {
        const mark = marks.get(node.path);
        return (
          <li
            key={mark && mark !== "inside" ? `${node.path} ${version}` : node.path}
            className={mark ? `insp-node insp-node-${mark}` : "insp-node"}
            role="treeitem"
            aria-level={node.level}
            aria-posinset={node.position}
            aria-setsize={node.siblings}
            aria-expanded={node.branch ? node.open : undefined}
            aria-selected={i === at}
            tabIndex={i === at ? 0 : -1}
            data-level={Math.min(node.level, 12)}
            data-path={node.path}
            data-mark={mark}
            onFocus={() => setActive(node.path)}
            onClick={() => node.branch && set(node, !node.open)}
          >
            <span className="insp-twist" aria-hidden="true">
              {node.branch ? (node.open ? "▾" : "▸") : ""}
            </span>
            <span className="insp-name">{node.name}</span>
            <span className={`insp-value insp-j-${node.kind === "boolean" || node.kind === "null" ? "word" : node.kind}`}>{node.text}</span>
            {mark && !(mark === "inside" && node.open) && <span className="insp-mark">{said[mark]}</span>}
          </li>
        );
      })}
    </ul>
  );
}
