import { useEffect, useRef, useState } from "react";
import { IconAlert, IconFile } from "../shell/icons";
import { isLink, sizeOf } from "./blobs";
import { about, type FilePart } from "./parts";
import { kindAndSize } from "./rules";
import { useLoaded } from "./useLoaded";

/** A file with its name, type and size, which is loaded when somebody wants it: sound and video play, everything is downloaded. */
export function Saved({ part, path }: { part: FilePart; path: string }) {
  const plays = part.type === "audio" || part.type === "video";
  const [wanted, setWanted] = useState<"" | "play" | "save">("");
  const loading = useLoaded(path, part, wanted !== "");
  const { name, mimeType, size: said } = about(part);
  const size = useSize(part, said);
  const link = useRef<HTMLAnchorElement>(null);
  const file = loading.state === "loaded" ? loading.file : undefined;

  useEffect(() => {
    if (!file || wanted !== "save") return;
    link.current?.click();
    setWanted(file.type && plays ? "play" : "");
  }, [file, wanted, plays]);

  return (
    <div className="file-card">
      <IconFile />
      <span className="file-name">{name}</span>
      <span className="muted">{kindAndSize(mimeType, file?.size ?? size)}</span>
      {plays && wanted !== "play" && (
        <button type="button" className="button small" aria-label={`Play ${name}`} onClick={() => setWanted("play")}>
          Play
        </button>
      )}
      <button type="button" className="button small" aria-label={`Download ${name}`} data-testid="file-download" onClick={() => setWanted("save")}>
        Download
      </button>
      {file && wanted !== "" && <a ref={link} href={file.url} download={name} hidden tabIndex={-1} aria-hidden="true" />}
      {file && wanted === "play" && <Player type={part.type} url={file.url} name={name} shown={file.type !== ""} />}
      {loading.state === "failed" && wanted !== "" && (
        <span role="alert" className="file-problem" data-testid="file-failed">
          <IconAlert /> {loading.why}
        </span>
      )}
    </div>
  );
}

/** The size of a file, as its part says it, or else as the gateway does. */
function useSize(part: FilePart, said: number | undefined): number | undefined {
  const [size, setSize] = useState(said);
  const link = said === undefined && isLink(part) ? part.source.value : "";
  useEffect(() => {
    if (link !== "") sizeOf(link).then(setSize, () => {});
  }, [link]);
  return said ?? size;
}

function Player({ type, url, name, shown }: { type: FilePart["type"]; url: string; name: string; shown: boolean }) {
  const [broken, setBroken] = useState(!shown);
  if (broken) return <span className="file-problem">This browser cannot play it. Download it instead.</span>;
  const props = { src: url, controls: true, autoPlay: true, "aria-label": name, onError: () => setBroken(true), className: "file-player" };
  return type === "audio" ? <audio {...props} /> : <video {...props} />;
}
