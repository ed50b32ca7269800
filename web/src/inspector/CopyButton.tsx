import { useEffect, useState } from "react";
import { copy } from "../shell/copy";

interface Props {
  label: string;
  /** The copied item, where the label does not name it. */
  hint?: string;
  text: () => string;
  testid?: string;
  small?: boolean;
}

/** Puts a text on the clipboard and says whether that went well. */
export function CopyButton({ label, hint, text, testid, small = false }: Props) {
  const [said, setSaid] = useState<"" | "Copied" | "Not copied">("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button
      type="button"
      className={small ? "insp-button insp-small" : "insp-button"}
      title={hint}
      data-testid={testid}
      data-copied={said === "Copied" || undefined}
      onClick={() => void copy(text()).then((done) => setSaid(done ? "Copied" : "Not copied"))}
    >
      <span aria-hidden={said !== ""} className={said ? "insp-under" : undefined}>
        {label}
      </span>
      <span className="insp-said" role="status">
        {said}
      </span>
    </button>
  );
}
