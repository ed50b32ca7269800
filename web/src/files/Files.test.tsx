import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Files } from "./Files";

const file = (value: string, filename?: string) => ({ type: "document", source: { type: "url", value }, metadata: { filename } });

it("a file with an address that is none is shown without a link, and the others stay", () => {
  const html = renderToStaticMarkup(<Files content={[file("http://["), file("https://files.example/a.pdf"), file("javascript:alert(1)")]} thread="t" />);
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(["https://files.example/a.pdf"]);
  expect(html.split("an address that cannot be opened")).toHaveLength(3);
});

it("the name of a file is shown with every character of it", () => {
  expect(renderToStaticMarkup(<Files content={[file("https://files.example/a", "report\u202efdp.exe")]} thread="t" />)).toContain("report⟦U+202E⟧fdp.exe");
});
