// The bytes of files that the page shows, as object URLs. A file that this tab has sent and the same file as the gateway's link are
// one: both are known by the link's path.

import { mount } from "../mount";
import type { FilePart } from "./parts";

/** What a browser shows without running anything of it. All else is bytes of no type, so that an address of it opens nothing. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|bmp|avif)|audio\/(mpeg|mp3|wav|x-wav|wave|flac|x-flac|aac|mp4|x-m4a|webm|ogg)|video\/(mp4|webm|ogg))$/;

/** How many files that are not on the page any more are kept, because a list that scrolls brings them back. */
const MAX_UNUSED = 20;

export interface Loaded {
  url: string;
  size: number;
  /** The type, if a browser may show it. */
  type: string;
}

interface Entry {
  loaded: Promise<Loaded>;
  users: number;
}

const entries = new Map<string, Entry>();

/** The path under which the gateway has a file of a message. */
export const pathOf = (thread: string, message: string, at: number) => `/threads/${encodeURIComponent(thread)}/messages/${encodeURIComponent(message)}/files/${at}`;

/** Whether a file is the gateway's own, by a link. */
export const isLink = ({ source }: FilePart) => source.type === "url" && /^\/threads\/[^/]+\/messages\/[^/]+\/files\/\d+(\?|$)/.test(source.value);

/** Takes a file for use; what it returns is given to release when nothing shows it any more. */
export function take(path: string, part: FilePart): Promise<Loaded> {
  const known = entries.get(path);
  const entry = known ?? { loaded: load(part), users: 0 };
  entry.users++;
  entries.delete(path);
  entries.set(path, entry);
  if (!known) entry.loaded.catch(() => entries.get(path) === entry && entries.delete(path)); // asked for again by the next
  return entry.loaded;
}

export function release(path: string) {
  const entry = entries.get(path);
  if (entry) entry.users = Math.max(0, entry.users - 1);
  const unused = [...entries].filter(([, { users }]) => users === 0);
  for (const [key, { loaded }] of unused.slice(0, Math.max(0, unused.length - MAX_UNUSED))) {
    entries.delete(key);
    loaded.then(({ url }) => URL.revokeObjectURL(url)).catch(() => {});
  }
}

async function load(part: FilePart): Promise<Loaded> {
  const bytes = part.source.type === "data" ? decoded(part.source.value) : await fetched(part.source.value);
  const declared = (part.source.type === "data" ? part.source.mimeType : bytes.type) ?? "";
  const type = SHOWN.test(declared) ? declared : "";
  return { url: URL.createObjectURL(new Blob([bytes], { type: type || "application/octet-stream" })), size: bytes.size, type };
}

function decoded(base64: string): Blob {
  const text = atob(base64);
  return new Blob([Uint8Array.from(text, (char) => char.charCodeAt(0))]);
}

async function fetched(link: string): Promise<Blob> {
  const response = await fetch(mount + link);
  if (!response.ok) throw new Error(response.status === 404 ? "The gateway no longer has this file." : `The gateway answered ${response.status}.`);
  return response.blob();
}

/** The size of the gateway's file, without reading it. */
export async function sizeOf(link: string): Promise<number | undefined> {
  const response = await fetch(mount + link, { method: "HEAD" });
  return response.ok ? Number(response.headers.get("Content-Length")) || undefined : undefined;
}
