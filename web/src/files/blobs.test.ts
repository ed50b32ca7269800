import { afterEach, describe, expect, it, vi } from "vitest";
import { isLink, pathOf, release, take } from "./blobs";
import type { FilePart } from "./parts";

const data = (mimeType: string, type: FilePart["type"] = "image"): FilePart => ({ type, source: { type: "data", value: "AAAA", mimeType } });
const link = (value: string): FilePart => ({ type: "image", source: { type: "url", value } });

afterEach(() => vi.restoreAllMocks());

describe("the bytes of a file", () => {
  it("are one address for what this tab has sent and the gateway's link to it", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const path = pathOf("t", "m", 1);
    const sent = await take(path, data("image/png"));
    expect(await take(path, link(`${path}?agent=a`))).toBe(sent);
    expect(fetched).not.toHaveBeenCalled();
    expect(sent).toMatchObject({ size: 3, type: "image/png" });
  });

  it("have a type only if a browser runs nothing of it", async () => {
    for (const type of ["text/html", "image/svg+xml", "application/pdf", "text/plain", ""]) expect((await take(`/${type}`, data(type, "document"))).type).toBe("");
    vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("<script>", { headers: { "Content-Type": "text/html" } }));
    const made = vi.spyOn(URL, "createObjectURL");
    expect((await take("/served", link("/threads/t/messages/m/files/0"))).type).toBe("");
    expect((made.mock.calls[0]![0] as Blob).type).toBe("application/octet-stream");
  });

  it("are asked for again after a failure, which says what is wrong", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response("", { status: 404 })).mockResolvedValueOnce(new Response("abc", { headers: { "Content-Type": "image/png" } }));
    await expect(take("/again", link("/x"))).rejects.toThrow("The gateway no longer has this file.");
    expect(await take("/again", link("/x"))).toMatchObject({ size: 3 });
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("are given up when many that nothing shows are kept, the longest unused first", async () => {
    const revoked = vi.spyOn(URL, "revokeObjectURL");
    const urls = [];
    for (let i = 0; i < 25; i++) urls.push((await take(`/many/${i}`, data("image/png"))).url);
    for (let i = 0; i < 25; i++) release(`/many/${i}`);
    await vi.waitFor(() => expect(revoked).toHaveBeenCalledTimes(5));
    expect(revoked.mock.calls.flat()).toEqual(urls.slice(0, 5));
  });
});

it("a link is a path to a file of a thread, and nothing at another host", () => {
  expect(isLink(link("/threads/t/messages/m/files/0?agent=a"))).toBe(true);
  for (const other of ["https://example.com/threads/t/messages/m/files/0", "//example.com/threads/t/messages/m/files/0", "/threads/t", "/threads/t/messages/m/files/0/more", ""]) expect(isLink(link(other))).toBe(false);
});
