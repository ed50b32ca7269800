import { pieces } from "../form/visible.ts";

/** A text of an agent, with marks where a character cannot be seen. lines: it may have lines. */
export function Seen({ text, lines = false }: { text: string; lines?: boolean }) {
  return (
    <bdi>
      {pieces(text, { lines }).map(({ text: piece, unseen }, i) =>
        unseen ? (
          <span key={i} className="unseen-sign" title="A character that cannot be seen">
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}
