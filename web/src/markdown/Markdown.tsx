// Replaces streamdown: vite.config.ts maps its name to this file. It renders agents' Markdown as elements and never as HTML.

import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { Code } from "./Code";
import { costly } from "./costly";
import { withMathsAsCode } from "./maths";
import "./markdown.css";

const plugins = [remarkGfm];

const components: Components = {
  // A link sends no referrer, because the page's address names the thread. One within the text, of a footnote, would take the page to
  // another place; and one with another scheme has lost its address already.
  a: ({ href, children }) =>
    href && !href.startsWith("#") ? (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // An image would send a request to a host that the agent has chosen.
  img: ({ src, alt }) =>
    typeof src === "string" && src !== "" ? (
      <a href={src} target="_blank" rel="noreferrer noopener">
        {alt || "image"}
      </a>
    ) : (
      <span>{alt || "image"}</span>
    ),
  pre: ({ children }) => <Code>{children}</Code>,
  table: ({ children }) => (
    <div className="md-table" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked === true} disabled aria-label={checked ? "Done" : "To do"} />,
};

interface Props {
  children?: string;
  className?: string;
}

export const Streamdown = memo(function Streamdown({ children, className }: Props) {
  const text = children ?? "";
  return (
    <div className={className ? `md ${className}` : "md"}>
      {costly(text) ? (
        <p className="md-plain">{text}</p>
      ) : (
        <ReactMarkdown remarkPlugins={plugins} components={components}>
          {withMathsAsCode(text)}
        </ReactMarkdown>
      )}
    </div>
  );
});
