import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Streamdown } from "./Markdown";

const html = (text: string) => renderToStaticMarkup(<Streamdown>{text}</Streamdown>).replace(/^<div class="md">(.*)<\/div>$/s, "$1");

it.each([
  ["So \\(a_1 * b_2\\) and \\(c\\).", "<p>So <code>\\(a_1 * b_2\\)</code> and <code>\\(c\\)</code>.</p>"],
  ["$$\\int_0^1 x\n dx$$", "<p><code>$$\\int_0^1 x dx$$</code></p>"],
  ["Then\n\\[\n\\frac{a}{b}\n\\]\nso.", "<p>Then\n<code>\\[ \\frac{a}{b} \\]</code>\nso.</p>"],
  ["See \\[1\\] and `\\(a\\)`, 5 $ or $$.", "<p>See [1] and <code>\\(a\\)</code>, 5 $ or $$.</p>"],
])("maths keeps its signs: %j", (text, shown) => expect(html(text)).toBe(shown));

it("shows what would take too long as it is", () => {
  expect(html("[".repeat(5000) + "<b>")).toBe(`<p class="md-plain">${"[".repeat(5000)}&lt;b&gt;</p>`);
});
