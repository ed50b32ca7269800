import type { ComponentType, ReactNode } from "react";
import { isContainer } from "client/form/exact";
import { words } from "client/form/words";
import { pointer } from "client/patch";
import { IconBin, IconPen, IconPlus } from "../../shell/icons";

/** How many members of a list or an object are shown. */
const MAX_MEMBERS = 200;

export interface Tools {
  /** Whether the value at a pointer may be changed here. */
  may: (path: string) => boolean;
  /** Nothing can be changed at the moment. */
  busy: boolean;
  onChange: (path: string, value: unknown) => void;
  onAdd: (path: string, list: boolean) => void;
  onRemove: (path: string, value: unknown) => void;
}

export const isTree = (value: unknown): value is object => isContainer(value);

interface Props {
  value: object;
  path: string;
  depth: number;
  tools: Tools;
}

/** The members of a list or an object. */
export function StateTree({ value, path, depth, tools }: Props) {
  const list = Array.isArray(value);
  const entries = Object.entries(value);
  return (
    <ul className="branch">
      {entries.slice(0, MAX_MEMBERS).map(([key, member]) => {
        const at = pointer(path, key);
        const name = list ? String(Number(key) + 1) : words(key) || key;
        return <li key={key}>{isTree(member) ? <Limb name={name} value={member} path={at} depth={depth} tools={tools} /> : <Leaf name={name} value={member} path={at} tools={tools} />}</li>;
      })}
      {entries.length > MAX_MEMBERS && <li className="muted">{entries.length - MAX_MEMBERS} more not shown</li>}
    </ul>
  );
}

function Limb({ name, value, path, depth, tools }: Props & { name: string }) {
  const list = Array.isArray(value);
  const count = Object.keys(value).length;
  const buttons = tools.may(path) && (
    <Buttons path={path}>
      <Button label={list ? `Add to ${name}` : `Add a value to ${name}`} what="add" Icon={IconPlus} busy={tools.busy} onClick={() => tools.onAdd(path, list)} />
      <Button label={`Change ${name}`} what="change" Icon={IconPen} busy={tools.busy} onClick={() => tools.onChange(path, value)} />
      <Button label={`Remove ${name}`} what="remove" Icon={IconBin} busy={tools.busy} onClick={() => tools.onRemove(path, value)} />
    </Buttons>
  );
  if (count === 0) {
    return (
      <div className="leaf">
        <span className="leaf-name">{name}</span>
        <span>{list ? "none" : "empty"}</span>
        {buttons}
      </div>
    );
  }
  return (
    <div className="limb">
      <details open={depth < 2}>
        <summary>
          {name} <span className="muted">{list ? count : ""}</span>
        </summary>
        <StateTree value={value} path={path} depth={depth + 1} tools={tools} />
      </details>
      {buttons}
    </div>
  );
}

function Leaf({ name, value, path, tools }: { name: string; value: unknown; path: string; tools: Tools }) {
  return (
    <div className="leaf">
      <span className="leaf-name">{name}</span>
      <span>{value === null ? "none" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value)}</span>
      {tools.may(path) && (
        <Buttons path={path}>
          <Button label={`Change ${name}`} what="change" Icon={IconPen} busy={tools.busy} onClick={() => tools.onChange(path, value)} />
          <Button label={`Remove ${name}`} what="remove" Icon={IconBin} busy={tools.busy} onClick={() => tools.onRemove(path, value)} />
        </Buttons>
      )}
    </div>
  );
}

const Buttons = ({ path, children }: { path: string; children: ReactNode }) => (
  <span className="state-tools" data-path={path}>
    {children}
  </span>
);

function Button({ label, what, Icon, busy, onClick }: { label: string; what: string; Icon: ComponentType; busy: boolean; onClick: () => void }) {
  return (
    <button type="button" className="icon-button small" aria-label={label} title={label} data-testid={`state-${what}`} disabled={busy} onClick={onClick}>
      <Icon />
    </button>
  );
}
