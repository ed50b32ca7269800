import { type ReactNode, useState } from "react";
import { isContainer } from "../form/exact.ts";
import { pointer } from "../patch.ts";
import { Seen } from "./Seen.tsx";

const MAX_TEXT = 600;
const MAX_ENTRIES = 20;
const MAX_DEPTH = 5;

interface Props {
  value: unknown;
  /** The JSON Pointers of the parts to mark as changed. */
  changed?: ReadonlySet<string>;
}

/** A JSON value, to be read: objects and lists as nested lists. Long and deep parts are cut, with a button that shows all of them. */
export function Value({ value, changed = new Set() }: Props) {
  return <Node value={value} path="" depth={0} changed={changed} />;
}

interface NodeProps {
  value: unknown;
  path: string;
  depth: number;
  changed: ReadonlySet<string>;
}

function Node(props: NodeProps) {
  const { value, depth } = props;
  if (typeof value === "string") return <LongText text={value} />;
  if (!isContainer(value)) return <span className="value-word">{String(value)}</span>;
  const size = Object.keys(value).length;
  if (size === 0) return <span className="muted">{Array.isArray(value) ? "empty list" : "empty"}</span>;
  if (depth < MAX_DEPTH) return <Entries {...props} value={value} />;
  return <Cut rest={<Entries {...props} value={value} depth={0} />} label={`Show what is inside (${size})`} />;
}

function Entries({ value, path, depth, changed }: NodeProps & { value: object }) {
  const list = Array.isArray(value);
  const entries = Object.entries(value);
  const rows = (some: [string, unknown][]) =>
    some.map(([key, inner]) => {
      const at = pointer(path, key);
      return (
        <li key={key} data-changed={changed.has(at) || undefined}>
          <span className="value-name">{list ? `${Number(key) + 1}.` : <Seen text={key} />}</span>{" "}
          {changed.has(at) && <span className="tag">changed</span>} <Node value={inner} path={at} depth={depth + 1} changed={changed} />
        </li>
      );
    });
  const first = rows(entries.slice(0, MAX_ENTRIES));
  const rest = entries.slice(MAX_ENTRIES);
  return (
    <ul className="value">
      {first}
      {rest.length > 0 && <Cut rest={rows(rest)} label={`Show ${rest.length} more`} item />}
    </ul>
  );
}

/** A text in its lines, cut where it gets long. */
export function LongText({ text }: { text: string }) {
  if (text === "") return <span className="muted">empty text</span>;
  if (text.length <= MAX_TEXT) return <span className="value-text"><Seen text={text} lines /></span>;
  return (
    <span className="value-text">
      <Cut first={<Seen text={text.slice(0, MAX_TEXT)} lines />} rest={<Seen text={text} lines />} label={`Show all ${text.length.toLocaleString("en")} characters`} />
    </span>
  );
}

interface CutProps {
  /** The part that is shown at first. */
  first?: ReactNode;
  rest: ReactNode;
  label: string;
  /** It stands among the items of a list. */
  item?: boolean;
}

function Cut({ first, rest, label, item }: CutProps) {
  const [whole, setWhole] = useState(false);
  if (whole) return rest;
  const button = (
    <button type="button" className="button small show-all" data-testid="show-all" onClick={() => setWhole(true)}>
      {label}
    </button>
  );
  if (item) return <li>{button}</li>;
  return (
    <>
      {first !== undefined && <>{first}… </>}
      {button}
    </>
  );
}
