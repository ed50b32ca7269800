// Replaces streamdown, whose name vite.config.ts maps to this file. It renders agents' Markdown as elements and never as HTML.

import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const plugins = [remarkGfm];

const components: Components = {
  // A link sends no referrer, because the page's address names the thread.
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // An image would send a request to a host that the agent has chosen.
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer noopener">
      {alt || "image"}
    </a>
  ),
  table: ({ children }) => (
    <div className="md-table" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};

interface Props {
  children?: string;
  className?: string;
}

export const Streamdown = memo(function Streamdown({ children, className }: Props) {
  return (
    <div className={className ? `md ${className}` : "md"}>
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {children ?? ""}
      </ReactMarkdown>
    </div>
  );
});
