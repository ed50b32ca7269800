import react from "@vitejs/plugin-react";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { fromSources } from "../../../clients/js/vite.mjs";

const file = fileURLToPath(new URL("src/readme.jsx", import.meta.url));

/** The page that README.md shows, as src/readme.jsx. The query says where the gateway is, and which thread is shown. */
const readme = {
  name: "readme",
  enforce: "pre",
  resolveId: (source) => (source.endsWith("/readme.jsx") ? file : null),
  load(id) {
    if (id !== file) return null;
    const text = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
    const [, code] = /<!-- tested: copilotkit -->\n```jsx\n([^]*?)```/.exec(text);
    const query = (name) => `{new URLSearchParams(location.search).get("${name}")}`;
    return code.replace('"http://localhost:8080/api/copilotkit"', query("url")).replace('"trip-1"', query("thread"));
  },
};

export default defineConfig({
  plugins: [readme, react()],
  resolve: fromSources,
  build: {
    outDir: fileURLToPath(new URL("../dist", import.meta.url)),
    emptyOutDir: true,
    chunkSizeWarningLimit: 1 << 20, // nobody waits for these bytes
    reportCompressedSize: false,
  },
});
