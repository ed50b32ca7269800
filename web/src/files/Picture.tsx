import { useRef, useState } from "react";
import { IconAlert, IconClose } from "../shell/icons";
import { about, type FilePart } from "./parts";
import { Saved } from "./Saved";
import { useLoaded } from "./useLoaded";

/** A picture of a message, and the whole of it on a click. */
export function Picture({ part, path }: { part: FilePart; path: string }) {
  const loading = useLoaded(path, part);
  const [broken, setBroken] = useState(false);
  const whole = useRef<HTMLDialogElement>(null);
  const { name } = about(part);
  if (loading.state === "failed" || broken) {
    return (
      <p className="file-card" role="alert" data-testid="file-failed">
        <IconAlert /> <span className="file-name">{name}</span> <span>{loading.state === "failed" ? loading.why : "The picture cannot be shown."}</span>
      </p>
    );
  }
  if (loading.state === "waiting") return <div className="bone file-waiting" aria-busy="true" />;
  const { url, type } = loading.file;
  if (type === "") return <Saved part={part} path={path} />; // browsers show no TIFF and no HEIC
  return (
    <>
      <button type="button" className="file-picture" aria-label={`Show ${name} in full size`} data-testid="file-picture" onClick={() => whole.current?.showModal()}>
        <img src={url} alt={name} onError={() => setBroken(true)} />
      </button>
      <dialog ref={whole} className="file-whole" aria-label={name} data-testid="file-whole" onClick={(event) => event.target === event.currentTarget && whole.current?.close()}>
        <img src={url} alt={name} />
        <div className="row">
          <a className="button" href={url} download={name}>
            Download
          </a>
          <button type="button" className="button" onClick={() => whole.current?.close()}>
            <IconClose /> Close
          </button>
        </div>
      </dialog>
    </>
  );
}
