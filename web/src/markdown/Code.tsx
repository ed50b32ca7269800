import { isValidElement, type ReactNode } from "react";
import { CopyText } from "./CopyText";
import type { Highlighted } from "./highlight";
import { useHighlighted } from "./useHighlighted";

/** A block of code with its language, which scrolls sideways, by keyboard too. */
export function Code({ children }: { children?: ReactNode }) {
  const language = languageOf(children);
  const code = textOf(children).replace(/\n$/, "");
  const coloured = useHighlighted(code, language);
  const name = language ? `Code in ${language}` : "Code";
  return (
    <div className="md-code" data-testid="code" data-language={language || undefined}>
      <div className="md-code-bar">
        <span>{language || "Code"}</span>
        <CopyText text={() => code} />
      </div>
      <pre tabIndex={0} role="region" aria-label={name}>
        {coloured ? <code>{coloured.children.map(element)}</code> : children}
      </pre>
    </div>
  );
}

function element(node: Highlighted["children"][number], at: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  return (
    <span key={at} className={(node.properties["className"] as string[] | undefined)?.join(" ")}>
      {node.children.map(element)}
    </span>
  );
}

/** The word after the fence, as the Markdown has it: "language-js" is "js". */
function languageOf(children: ReactNode): string {
  if (!isValidElement<{ className?: string }>(children)) return "";
  return /(?:^|\s)language-(\S{1,30})/.exec(children.props.className ?? "")?.[1] ?? "";
}

export function textOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map(textOf).join("");
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : "";
}
