// A message's content as texts and files: what a person sends, and what the page shows.

import { visible } from "client/form/visible";
import { kindOf, typeOf } from "./rules";

/** A file in the content of a message, as AG-UI has it. */
export interface FilePart {
  type: "image" | "audio" | "video" | "document";
  source: { type: "data" | "url" | "file"; value: string; mimeType?: string };
  metadata?: { filename?: string; size?: number };
}

export type Part = { type: "text"; text: string } | FilePart;

/** A part with its place among all parts of its message, by which the gateway knows it. */
export interface Placed {
  at: number;
  part: FilePart;
}

const kinds = new Set(["image", "audio", "video", "document"]);

/** The words of a content, whatever form it has. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) => (part?.type === "text" && typeof part.text === "string" && part.text !== "" ? [part.text as string] : [])).join("\n");
}

/** The files of a content. */
export function filesOf(content: unknown): Placed[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, at) => (kinds.has(part?.type) && typeof part.source?.value === "string" ? [{ at, part: part as FilePart }] : []));
}

/** The content of a message with files. */
export async function contentOf(text: string, files: readonly File[]): Promise<Part[]> {
  const parts = await Promise.all(files.map(partOf));
  return text === "" ? parts : [{ type: "text", text }, ...parts];
}

async function partOf(file: File): Promise<FilePart> {
  const mimeType = typeOf(file);
  return { type: kindOf(mimeType), source: { type: "data", value: await base64(file), mimeType }, metadata: { filename: file.name, size: file.size } };
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`“${file.name}” cannot be read any more. Was it moved or changed?`));
    reader.readAsDataURL(file);
  });
}

/** What a file is called, and how large it is, as far as its part says so. */
export function about({ type, source, metadata }: FilePart): { name: string; mimeType: string; size: number | undefined } {
  const mimeType = source.mimeType ?? "";
  const name = typeof metadata?.filename === "string" && metadata.filename !== "" ? visible(metadata.filename) : "";
  const size = source.type === "data" ? Math.floor((source.value.length * 3) / 4) - (/={0,2}$/.exec(source.value)?.[0].length ?? 0) : metadata?.size;
  return { name: name || { image: "Picture", audio: "Sound", video: "Video", document: "Document" }[type], mimeType, size: typeof size === "number" && size >= 0 ? size : undefined };
}

/** The file in the gateway's refusal of a message: its number, from 0, and the problem. */
export function refusedFile(message: string, hasText: boolean): { at: number; problem: string } | undefined {
  const [, at, problem] = /content\[(\d+)\] (.+)$/s.exec(message) ?? [];
  return at === undefined ? undefined : { at: Number(at) - (hasText ? 1 : 0), problem: `It ${problem!.replace(/\.*$/, ".")}` };
}
