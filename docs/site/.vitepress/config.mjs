// The site of the documents. Its pages are the Markdown files of docs, README.md, SECURITY.md, CHANGELOG.md and the README.md of
// each example, with the links that they have in the repository. Links to other files lead to the repository.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const repository = "https://github.com/agui-gateway/gateway";
const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path) => readFileSync(root + path, "utf8");

/** Whether a file of the repository is a page. */
const isPage = (path) => /^(docs|examples)\/.*\.md$|^(README|SECURITY|CHANGELOG)\.md$/.test(path);

/** The path of a page in the site: the pages of docs are at its root, and a README.md is the index of its directory. */
function sitePath(path) {
  if (path === "README.md") return "overview.md";
  return path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/** The address of a link in a page. */
function address(href, page) {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [, path, anchor] = /^([^#]*)(#.*)?$/.exec(href);
  let target = posix.normalize(posix.join(posix.dirname(page), decodeURI(path))).replace(/\/$/, "");
  if (!existsSync(root + target)) throw new Error(`${page} has a link to ${href}, which does not exist`);
  const directory = statSync(root + target).isDirectory();
  if (directory && existsSync(`${root}${target}/README.md`) && isPage(`${target}/README.md`)) target += "/README.md";
  if (isPage(target)) return `/${sitePath(target)}${anchor ?? ""}`;
  return `${repository}/${directory ? "tree" : "blob"}/main/${target}${anchor ?? ""}`;
}

/** The anchor of a heading, as GitHub makes it. */
const slugify = (title) => title.trim().toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");

/** A plugin of markdown-it: links get their addresses, and indented lines are commands. */
function repositoryPages(md) {
  md.core.ruler.push("addresses", ({ tokens, env }) => {
    const page = posix.relative(root, env.realPath ?? env.path);
    for (const token of tokens.filter(({ type }) => type === "code_block")) Object.assign(token, { type: "fence", info: "sh", markup: "```" });
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === "link_open") token.attrSet("href", address(token.attrGet("href"), page));
    }
  });
  const render = md.renderer.render.bind(md.renderer);
  md.renderer.render = (...args) => render(...args).replaceAll("{{", "&#123;&#123;"); // pages are no templates of Vue
}

/** A plugin of Vite that finds Vue in this directory for pages, which are outside of it. */
const packages = {
  name: "packages",
  enforce: "pre",
  resolveId(id, importer, options) {
    if (/^vue(\/|$)/.test(id) && importer?.endsWith(".md")) return this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true });
  },
};

/** The first heading of a page. */
const titleOf = (path) => /^# (.+)$/m.exec(read(path))[1].replaceAll("`", "");

/** The pages that a page links to in the same directory, in this order. */
function chapters(path) {
  const dir = posix.dirname(path);
  const names = [...read(path).matchAll(/\]\(([a-z0-9-]+\.md)\)/g)].map(([, name]) => `${dir}/${name}`);
  return [...new Set(names)].map((page) => ({ text: titleOf(page), link: `/${sitePath(page)}` }));
}

/** The sidebar: the sections of docs/README.md with the pages of their tables. */
function sidebar() {
  return read("docs/README.md").split("\n## ").slice(1).map((section) => {
    const items = [];
    for (const row of section.split("\n").filter((line) => line.startsWith("| ["))) {
      for (const [, text, href] of row.split(" | ")[0].matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)) {
        const link = address(href, "docs/README.md");
        const inside = /^[a-z-]+\/README\.md$/.test(href) ? { items: chapters(`docs/${href}`), collapsed: true } : {};
        items.push({ text, link, ...inside });
      }
    }
    return { text: section.split("\n")[0], items };
  });
}

export default defineConfig({
  title: "AG-UI gateway",
  description: "One Go binary that serves teams of agents to web pages",
  srcDir: "../..",
  srcExclude: [
    ...readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !["docs", "examples"].includes(entry.name))
      .map(({ name }) => `${name}/**`),
    "docs/site/**",
  ],
  outDir: "../../bin/site",
  cacheDir: "node_modules/.cache",
  rewrites: sitePath,
  ignoreDeadLinks: "localhostLinks",
  vite: { plugins: [packages], build: { chunkSizeWarningLimit: 2000 } },
  markdown: { anchor: { slugify }, config: (md) => md.use(repositoryPages) },
  themeConfig: {
    nav: [{ text: "Get started", link: "/get-started.md" }, { text: "Changes", link: "/CHANGELOG.md" }],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
  },
});
