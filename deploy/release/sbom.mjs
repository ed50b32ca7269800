// Puts the packages of the page beside the modules of the binary that carries it: node sbom.mjs GO.json PAGE.json DATE
//
// What two runs of the tools would write differently is left out, so that a release can be built again.

import { readFileSync } from "node:fs";

const [binary, page] = process.argv.slice(2, 4).map((file) => JSON.parse(readFileSync(file, "utf8")));
const { component, tools } = binary.metadata;
const root = { ...page.metadata.component, name: "agui-gateway-page" };

const all = {
  ...binary,
  metadata: {
    timestamp: process.argv[4],
    tools: [...tools, ...page.metadata.tools].map(({ vendor, name, version }) => ({ vendor, name, version })),
    component,
  },
  components: [...binary.components, root, ...page.components],
  dependencies: [
    ...binary.dependencies.map((d) => (d.ref === component["bom-ref"] ? { ...d, dependsOn: [...(d.dependsOn ?? []), root["bom-ref"]] } : d)),
    ...page.dependencies,
  ],
};

const names = new Set([component, ...all.components].map((c) => c["bom-ref"]));
const unknown = all.dependencies.flatMap((d) => [d.ref, ...(d.dependsOn ?? [])]).filter((ref) => !names.has(ref));
if (unknown.length > 0) throw new Error(`dependencies on what is no component: ${unknown.slice(0, 5).join(", ")}`);
if (!all.dependencies.some((d) => d.dependsOn?.includes(root["bom-ref"]))) throw new Error("the page belongs to nothing");

process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
