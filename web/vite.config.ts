/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const src = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname;

// CopilotKit names these in its code; here they would only be weight. Streamdown brings a highlighter for 200 languages, a
// diagram renderer and KaTeX with its fonts (17 MB, loaded piece by piece): ours renders what the agents write. The others
// belong to features that the page does not switch on: a developer's overlay, MCP apps, sandboxed HTML.
const absent = ["@copilotkit/web-inspector", "@copilotkit/mcp-apps-renderer", "@jetbrains/websandbox", "katex/dist/katex.min.css"];

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^streamdown$/, replacement: src("markdown/Markdown.tsx") },
      ...absent.map((name) => ({ find: new RegExp(`^${name.replaceAll(".", "\\.")}$`), replacement: src("absent/absent.ts") })),
    ],
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
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"], environment: "node" },
});
