import { useEffect, useRef } from "react";
import { useTalk } from "../../chat/context";
import { isFresh } from "../../fresh";
import { newID } from "../../id";
import { IconPlus } from "../../shell/icons";
import type { PanelProps } from "../view";
import { type Edit, kindOf, mayWrite, namesFor, textOf } from "./edit";
import { StateEditor } from "./StateEditor";
import { isTree, StateTree, type Tools } from "./StateTree";
import { useStateEdit } from "./useStateEdit";
import "./state.css";

const blank: Omit<Edit, "id" | "what"> = { path: "", name: "", list: false, kind: "Text", text: "", base: undefined };

/** The shared state of an agent without a special view, as a tree, which can be edited where the agent lets clients write. */
export default function StatePanel({ agent, thread, state }: PanelProps) {
  const { mute } = useTalk();
  const { edit, phase, write, save } = useStateEdit(agent.id, thread);
  const section = useRef<HTMLElement>(null);
  const origin = useRef<Element>(undefined);
  const writable = agent.writable ?? [];
  const names = namesFor(state, writable);

  const editing = edit !== undefined;
  useEffect(() => {
    // After an edit the keyboard goes back to where it began, if that is still there.
    if (editing || !origin.current) return;
    const back = origin.current;
    origin.current = undefined;
    if (back instanceof HTMLElement && back.isConnected) back.focus();
    else section.current?.focus();
  }, [editing]);

  const open = (what: Edit["what"], more: Partial<Edit>) => {
    origin.current = document.activeElement ?? undefined;
    write({ ...blank, ...more, id: newID(), what });
  };
  const tools: Tools = {
    may: (path) => mayWrite(path, writable),
    busy: mute || editing,
    onChange: (path, value) => open("change", { path, kind: kindOf(value), text: textOf(value), base: value }),
    onAdd: (path, list) => open("add", { path, list }),
    onRemove: (path, value) => open("remove", { path, base: value }),
  };
  return (
    <section className="card state" ref={section} tabIndex={-1} aria-labelledby="state-title" data-testid="state-tree">
      <h2 id="state-title">Shared state</h2>
      {edit && (
        <StateEditor
          key={`${edit.what} ${edit.path}`}
          edit={edit}
          phase={phase}
          names={edit.path === "" ? names : undefined}
          disabled={mute}
          onChange={write}
          onSave={(edit, over) => void save(edit, over)}
          onCancel={() => write(undefined)}
        />
      )}
      {isTree(state) && Object.keys(state).length > 0 ? <StateTree value={state} path="" depth={0} tools={tools} /> : <p className="muted">Empty.</p>}
      {!isFresh(thread) && (names === undefined || names.length > 0) && (
        <button type="button" className="button quiet state-add" data-testid="state-add-root" disabled={tools.busy} onClick={() => open("add", { name: names?.[0] ?? "" })}>
          <IconPlus /> Add a value
        </button>
      )}
    </section>
  );
}
