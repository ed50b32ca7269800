// Where the gateway is. A program that serves it below a prefix serves the page there too, with its own routes in the fragment: so the
// directory of the page's address is the gateway's root.

/** The path of the gateway's root without the slash at its end: empty, or a prefix such as /ai. */
export const mount = rootOf(globalThis.location?.pathname ?? "/");

/** The root of the gateway with the page at this path. */
export function rootOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
