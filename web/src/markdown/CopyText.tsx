import { useEffect, useState } from "react";
import { copy } from "../shell/copy";

/** A small button that puts a text on the clipboard and says whether that went well. */
export function CopyText({ text }: { text: () => string }) {
  const [said, setSaid] = useState<"" | "Copied" | "Not copied">("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button type="button" className="md-copy" data-testid="copy-code" aria-label="Copy the code" onClick={() => void copy(text()).then((done) => setSaid(done ? "Copied" : "Not copied"))}>
      {said || "Copy"}
      <span className="unseen" role="status">
        {said}
      </span>
    </button>
  );
}
