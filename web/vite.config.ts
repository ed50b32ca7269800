/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { fromSources, src as client } from "../clients/js/vite.mjs";

const src = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname;

// CopilotKit would load these when it needs them; here they would only be weight: a developer's overlay, MCP apps, sandboxed
// HTML, and the fonts of KaTeX, which belong to the renderer of Markdown that ours replaces.
const absent = ["@copilotkit/web-inspector", "@copilotkit/mcp-apps-renderer", "@jetbrains/websandbox", "katex/dist/katex.min.css"];

/**
 * Puts an empty module in place of each import() of the packages that are left out. A file that stands for them would be asked
 * for at some later time, when the gateway may be away, and CopilotKit would warn of it.
 */
function leaveOut(names: string[]): Plugin {
  const found = new Set<string>();
  return {
    name: "leave-out",
    apply: "build",
    transform(code, id) {
      if (!id.includes("/@copilotkit/react-core/")) return null;
      let changed = code;
      for (const name of names) {
        const [before, after] = [changed, changed.replaceAll(`import(${JSON.stringify(name)})`, "Promise.resolve({})")];
        if (after !== before) found.add(name);
        changed = after;
      }
      return changed === code ? null : { code: changed, map: null };
    },
    buildEnd(error) {
      const missed = names.filter((name) => !found.has(name));
      if (!error && missed.length > 0) throw new Error(`CopilotKit does not load ${missed.join(", ")} any more`);
    },
  };
}

/**
 * Takes the style element out of CopilotKit's placeholder for a part of a surface that has not come: the content security policy
 * forbids it, and content.css has its keyframes.
 */
const withoutStyleElement: Plugin = {
  name: "without-style-element",
  apply: "build",
  transform(code, id) {
    if (!id.includes("/a2ui-renderer/dist/") || !id.endsWith("/A2uiSurface.mjs")) return null;
    const changed = code.replace(/,\s*children: \/\* @__PURE__ \*\/ jsx\("style", \{ children: `[^`]*` \}\)/, "");
    if (changed === code) this.error("CopilotKit's surface has no style element any more");
    return { code: changed, map: null };
  },
};

/**
 * Has CopilotKit show a surface as soon as its components are there. It hides a surface for eight seconds while all values in its data
 * are empty, as in a new form.
 */
const emptyFormsAreSurfaces: Plugin = {
  name: "empty-forms-are-surfaces",
  apply: "build",
  transform(code, id) {
    if (!id.includes("/@copilotkit/react-core/") || !code.includes("function surfaceHasRenderableContent(")) return null;
    const changed = code.replace(String.raw`if (!JSON.stringify(componentOps).includes("\"path\"")) return true;`, "return true;");
    if (changed === code) this.error("CopilotKit judges the data of a surface in another way now");
    return { code: changed, map: null };
  },
};

export default defineConfig({
  plugins: [react(), leaveOut(absent), withoutStyleElement, emptyFormsAreSurfaces],
  resolve: {
    // Streamdown brings a highlighter for 200 languages, a diagram renderer and KaTeX (17 MB, loaded piece by piece): ours
    // renders what the agents write.
    alias: [
      { find: /^streamdown$/, replacement: src("markdown/Markdown.tsx") },
      { find: /^client\//, replacement: client },
    ],
    dedupe: fromSources.dedupe,
  },
  base: "./", // a program may serve the page below a prefix
  build: {
    emptyOutDir: false, // scripts/clean.mjs does, and spares .gitkeep
    target: "es2022",
    sourcemap: false,
    manifest: true, // scripts/finish.mjs reads it, and removes it
    reportCompressedSize: false,
    assetsInlineLimit: 0, // nothing that the content security policy would have to name
    chunkSizeWarningLimit: 2000,
  },
  server: {
    // `npx vite` beside a running gateway, for work on the page itself.
    proxy: Object.fromEntries(["/api", "/agents", "/me", "/threads", "/readyz"].map((path) => [path, "http://127.0.0.1:8080"])),
  },
  test: {
    // The client package has the page's packages, and no runner of its own.
    include: ["src/**/*.test.{ts,tsx}", "../clients/js/src/**/*.test.{ts,tsx}"],
    environment: "node",
  },
});
