import { memo } from "react";
import { stringify } from "client/form/exact";

const MAX_LENGTH = 40_000;
const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** A value as indented JSON, cut where it gets too long to be read. */
export const Json = memo(function Json({ value, label }: { value: unknown; label: string }) {
  const text = stringify(value, 2) || "undefined";
  const shown = text.slice(0, MAX_LENGTH);
  return (
    <pre className="insp-json" tabIndex={0} role="region" aria-label={label}>
      <code>{coloured(shown)}</code>
      {text.length > MAX_LENGTH && <em>{`\n… ${(text.length - MAX_LENGTH).toLocaleString()} more characters; copying takes them all.`}</em>}
    </pre>
  );
});

function coloured(text: string) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(token)) {
    const [all, string, colon, word, number] = found;
    if (found.index > from) parts.push(text.slice(from, found.index));
    const kind = string ? (colon ? "key" : "string") : word ? "word" : number ? "number" : "";
    parts.push(
      <span key={found.index} className={`insp-j-${kind}`}>
        {all}
      </span>,
    );
    from = found.index + all.length;
  }
  parts.push(text.slice(from));
  return parts;
}
