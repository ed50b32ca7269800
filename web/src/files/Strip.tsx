import { useEffect, useMemo, useRef, useState } from "react";
import { visible } from "client/form/visible";
import { IconClose, IconFile } from "../shell/icons";
import { kindAndSize, kindOf, typeOf } from "./rules";
import type { Held } from "./useAttach";

/** The files that are sent with the next message, above the field one writes in. */
export function Strip({ held, onRemove }: { held: readonly Held[]; onRemove: (id: string) => void }) {
  const list = useRef<HTMLUListElement>(null);
  const remove = (at: number) => {
    onRemove(held[at]!.id);
    // The keyboard's focus goes to the next file, or to the button that attaches more.
    setTimeout(() => {
      const buttons = list.current?.querySelectorAll("button") ?? [];
      (buttons[Math.min(at, buttons.length - 1)] ?? document.querySelector<HTMLElement>('[data-testid="attach"]'))?.focus();
    });
  };
  return (
    <>
      <p className="unseen" role="status">
        {held.length > 0 ? `${held.length} ${held.length === 1 ? "file is" : "files are"} sent with the next message.` : ""}
      </p>
      {held.length > 0 && (
        <ul className="strip" ref={list} aria-label="Files to send" data-testid="strip">
          {held.map(({ id, file, problem }, at) => (
            <li key={id} data-testid="strip-file" data-refused={problem !== undefined || undefined}>
              <Preview file={file} />
              <span className="strip-words">
                <span className="file-name">{visible(file.name)}</span>
                <span className={problem ? "file-problem" : "muted"}>{problem ?? kindAndSize(typeOf(file), file.size)}</span>
              </span>
              <button type="button" className="icon-button small" aria-label={`Remove ${visible(file.name)}`} onClick={() => remove(at)}>
                <IconClose />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Preview({ file }: { file: File }) {
  const url = useMemo(() => (kindOf(typeOf(file)) === "image" ? URL.createObjectURL(file) : ""), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  const [broken, setBroken] = useState(false);
  if (url === "" || broken) return <IconFile />;
  return <img src={url} alt="" onError={() => setBroken(true)} />;
}
