import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { words } from "client/form/words";
import { members } from "client/patch";
import { newID } from "../../id";
import { type Edit, type Kind, kinds, problemOf, textOf } from "./edit";
import type { Phase } from "./useStateEdit";

interface Props {
  edit: Edit;
  phase: Phase;
  /** The names of which one may be added; undefined: any. */
  names: string[] | undefined;
  disabled: boolean;
  onChange: (edit: Edit) => void;
  onSave: (edit: Edit, over?: boolean) => void;
  onCancel: () => void;
}

/** Where a value of the state is changed, added or removed. */
export function StateEditor({ edit, phase, names, disabled, onChange, onSave, onCancel }: Props) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [shown, setShown] = useState(false);
  useEffect(() => form.current?.querySelector<HTMLElement>("[data-first]")?.focus(), []);
  const problem = problemOf(edit);
  const busy = phase.name === "saving" || phase.name === "pending";
  const change = (more: Partial<Edit>) => onChange({ ...edit, ...more, id: newID() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShown(true);
    if (!problem && !busy && !disabled) onSave(edit);
  };
  const escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // it is not for the drawer
    onCancel();
  };
  return (
    <form className="state-editor" ref={form} aria-labelledby={`${id}-title`} data-testid="state-editor" data-phase={phase.name} onSubmit={submit} onKeyDown={escape}>
      <h3 id={`${id}-title`}>{titleOf(edit)}</h3>
      {edit.what === "add" && !edit.list && (
        <label>
          Name
          {names ? (
            <select className="field" data-first data-testid="state-name" value={edit.name} disabled={busy} onChange={({ target }) => change({ name: target.value })}>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          ) : (
            <input className="field" data-first data-testid="state-name" value={edit.name} disabled={busy} onChange={({ target }) => change({ name: target.value })} />
          )}
        </label>
      )}
      {edit.what === "remove" ? (
        <p>{textOf(edit.base).slice(0, 200)}</p>
      ) : (
        <>
          <label>
            Type
            <select className="field" data-testid="state-kind" value={edit.kind} disabled={busy} onChange={({ target }) => change(ofKind(edit, target.value as Kind))}>
              {kinds.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <ValueField edit={edit} busy={busy} invalid={shown && problem !== undefined} problemID={`${id}-problem`} onChange={(text) => change({ text })} />
        </>
      )}
      <div role="status" id={`${id}-problem`} className="state-said" data-testid="state-said">
        {shown && problem && phase.name === "writing" && <p className="problem">{problem}</p>}
        {phase.name === "saving" && <p>Saving…</p>}
        {phase.name === "pending" && <p>Accepted. It becomes part of the state when the agent's turn ends.</p>}
        {phase.name === "refused" && <p className="problem">{phase.text}</p>}
        {phase.name === "conflict" && (
          <p className="problem">
            {phase.now === undefined ? "This was removed in the meantime." : `This was changed in the meantime. It is now: ${textOf(phase.now).slice(0, 200) || "nothing"}`}
          </p>
        )}
      </div>
      <div className="row">
        {phase.name === "conflict" ? (
          <button type="button" className="button primary" data-testid="state-over" disabled={disabled} onClick={() => onSave(edit, true)}>
            {edit.what === "remove" ? "Remove it anyway" : "Keep mine"}
          </button>
        ) : (
          <button type="submit" className={edit.what === "remove" ? "button danger" : "button primary"} data-first={edit.what === "remove" || undefined} data-testid="state-save" disabled={busy || disabled}>
            {edit.what === "remove" ? "Remove" : phase.name === "refused" ? "Try again" : "Save"}
          </button>
        )}
        <button type="button" className="button quiet" data-testid="state-cancel" onClick={onCancel}>
          {phase.name === "conflict" ? "Keep theirs" : phase.name === "pending" ? "Close" : "Discard"}
        </button>
      </div>
    </form>
  );
}

function ValueField({ edit, busy, invalid, problemID, onChange }: { edit: Edit; busy: boolean; invalid: boolean; problemID: string; onChange: (text: string) => void }) {
  const { kind, text } = edit;
  if (kind === "Nothing") return null;
  const first = edit.what === "change" || edit.list || undefined;
  const common = { className: "field", "data-first": first, "data-testid": "state-value", value: text, disabled: busy, "aria-invalid": invalid, "aria-describedby": problemID };
  return (
    <label>
      Value
      {kind === "Yes or no" ? (
        <select {...common} onChange={({ target }) => onChange(target.value)}>
          <option value="yes">Yes</option>
          <option value="no">No</option>
        </select>
      ) : kind === "Number" ? (
        <input {...common} inputMode="decimal" onChange={({ target }) => onChange(target.value)} />
      ) : (
        <textarea {...common} rows={kind === "Text" ? 2 : 6} spellCheck={kind === "Text"} onChange={({ target }) => onChange(target.value)} />
      )}
    </label>
  );
}

const ofKind = (edit: Edit, kind: Kind): Partial<Edit> => ({ kind, text: kind === "Yes or no" ? (edit.text === "no" ? "no" : "yes") : edit.text });

function titleOf({ what, path, list }: Edit): string {
  const where = members(path).map(words).join(" › ");
  if (what === "change") return `Change ${where}`;
  if (what === "remove") return `Remove ${where}?`;
  return `${list ? "Add to the list" : "Add"}${where ? ` ${list ? where : `to ${where}`}` : ""}`;
}
