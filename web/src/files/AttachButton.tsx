import { useRef } from "react";
import { IconClip } from "../shell/icons";
import { type Attachments, typesInWords } from "./rules";

/** Opens the browser's choice of files. */
export function AttachButton({ rules, onFiles }: { rules: Attachments; onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="icon-button" aria-label="Attach files" title={`Attach ${typesInWords(rules.types)}`} data-testid="attach" onClick={() => input.current?.click()}>
        <IconClip />
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={rules.maxCount !== 1}
        accept={rules.types.includes("*/*") ? undefined : rules.types.join()}
        aria-label="Files"
        data-testid="attach-input"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ""; // so that the same file can be chosen again
        }}
      />
    </>
  );
}
