// The package from its sources, for the builds of this repository. It is no part of the package.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the sources, with a slash at its end. */
export const src = fileURLToPath(new URL("./src/", import.meta.url));

const { dependencies, peerDependencies } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/** `resolve` of a configuration of Vite. Other packages are those of the project that is built: there is one React. */
export const fromSources = {
  alias: [
    { find: /^@agui-gateway\/client$/, replacement: `${src}index.ts` },
    { find: /^@agui-gateway\/client\/react$/, replacement: `${src}react/index.ts` },
    { find: /^@agui-gateway\/client\/style\.css$/, replacement: `${src}style.css` },
  ],
  dedupe: Object.keys({ ...dependencies, ...peerDependencies }),
};
