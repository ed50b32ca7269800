import { useState } from "react";
import { isContainer, stringify } from "client/form/exact";
import { Seen } from "client/react/Seen";

/** How many members of a value are shown, and how much of a text. */
const [MAX_MEMBERS, MAX_TEXT] = [100, 2000];

/** Any value of JSON as a folded tree. Folded parts are not rendered, so a large value costs nothing until it is opened. */
export function Tree({ name, value, open = false }: { name: string; value: unknown; open?: boolean }) {
  const [shown, setShown] = useState(open);
  if (!isContainer(value) || Object.keys(value).length === 0) return <Leaf name={name} value={value} />;
  const count = Object.keys(value).length;
  return (
    <details className="tree" open={shown} onToggle={(event) => event.target === event.currentTarget && setShown(event.currentTarget.open)}>
      <summary>
        <Seen text={name} /> <span className="muted">{Array.isArray(value) ? `${count} in a list` : ""}</span>
      </summary>
      {shown && <Members value={value} />}
    </details>
  );
}

function Members({ value }: { value: object }) {
  const members = Object.entries(value);
  return (
    <ul className="tree-members">
      {members.slice(0, MAX_MEMBERS).map(([key, member]) => (
        <li key={key}>
          <Tree name={Array.isArray(value) ? String(Number(key) + 1) : key} value={member} />
        </li>
      ))}
      {members.length > MAX_MEMBERS && <li className="muted">{members.length - MAX_MEMBERS} more not shown</li>}
    </ul>
  );
}

function Leaf({ name, value }: { name: string; value: unknown }) {
  const text = typeof value === "string" ? value : stringify(value);
  return (
    <p className="tree-leaf">
      <span className="muted"><Seen text={name} /></span> <Seen text={text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text} lines />
    </p>
  );
}
