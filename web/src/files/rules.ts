// Which files an agent takes, as GET /agents says it. The gateway judges them again, by their bytes.

import { visible } from "client/form/visible";

export interface Attachments {
  /** Media types, or ranges such as image/*. */
  types: string[];
  /** Bytes of one file. */
  maxSize?: number;
  /** Files of one message. */
  maxCount?: number;
}

/** How many files of a message are kept where the agent names no number. */
const MAX_COUNT = 20;

/** Types that browsers do not know by the names of files. */
const byName: Record<string, string> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  txt: "text/plain",
  log: "text/plain",
  yaml: "text/yaml",
  yml: "text/yaml",
  toml: "text/plain",
  json: "application/json",
};

interface Named {
  name: string;
  type: string;
  size: number;
}

/** The media type of a file without parameters; empty if nothing is known. */
export function typeOf({ name, type }: Pick<Named, "name" | "type">): string {
  return type.split(";", 1)[0]!.trim().toLowerCase() || byName[name.split(".").at(-1)!.toLowerCase()] || "";
}

/** The content part that a file of this type belongs in. */
export function kindOf(type: string): "image" | "audio" | "video" | "document" {
  const family = type.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "document";
}

/** Divides files into those that may be sent beside so many others, and the problems of the rest. */
export function choose<F extends Named>(files: readonly F[], { types, maxSize, maxCount = MAX_COUNT }: Attachments, held: number): { taken: F[]; problems: string[] } {
  const [taken, problems]: [F[], string[]] = [[], []];
  let left = 0;
  for (const file of files) {
    const problem = problemOf(file, types, maxSize);
    if (problem) problems.push(`“${visible(file.name)}” ${problem}.`);
    else if (held + taken.length >= maxCount) left++;
    else taken.push(file);
  }
  if (left > 0) problems.push(`A message may have ${maxCount} ${maxCount === 1 ? "file" : "files"}: ${left} more ${left === 1 ? "was" : "were"} left out.`);
  return { taken, problems };
}

function problemOf(file: Named, types: string[], maxSize: number | undefined): string | undefined {
  const type = typeOf(file);
  if (!types.some((allowed) => within(type, allowed))) return `is of a type that this agent does not take. It takes ${typesInWords(types)}`;
  if (file.size === 0) return "is empty";
  if (maxSize !== undefined && file.size > maxSize) return `has ${sizeInWords(file.size)}. A file may have ${sizeInWords(maxSize)} at most`;
  return undefined;
}

const within = (type: string, allowed: string) => allowed === "*/*" || allowed === type || (allowed.endsWith("/*") && type.startsWith(allowed.slice(0, -1)));

const families: Record<string, string> = { "*/*": "files of any type", "image/*": "pictures", "audio/*": "sound", "video/*": "video", "text/*": "text", "application/*": "documents" };

/** "pictures, PDF and CSV" */
export function typesInWords(types: string[]): string {
  const words = types.map((type) => families[type] ?? nameOf(type));
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** A short name of a media type: "PDF". */
export function nameOf(type: string): string {
  const name = type.split("/").at(-1)!;
  const office = /\.(wordprocessingml|spreadsheetml|presentationml)\./.exec(name)?.[1];
  if (office) return { wordprocessingml: "Word", spreadsheetml: "Excel", presentationml: "PowerPoint" }[office]!;
  if (type === "text/plain" || type === "text/markdown") return name === "plain" ? "text" : "Markdown";
  return name.replace(/^x-/, "").toUpperCase();
}

/** "3.2 MB" */
export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [size, unit] = bytes < 1024 * 1024 ? [bytes / 1024, "KB"] : [bytes / 1024 / 1024, "MB"];
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`;
}

/** "PDF, 3.2 MB", as far as it is known. */
export const kindAndSize = (type: string, size: number | undefined) => [type && nameOf(type), size !== undefined && sizeInWords(size)].filter(Boolean).join(", ");
