import { IconArrow, IconFile } from "../shell/icons";
import { webPage } from "../webPage";
import { isLink, pathOf } from "./blobs";
import { about, type FilePart, filesOf } from "./parts";
import { Picture } from "./Picture";
import { nameOf } from "./rules";
import { Saved } from "./Saved";
import "./files.css";

interface Props {
  content: unknown;
  thread: string;
  /** The message that has the files; of others the gateway's links say which file they are. */
  message?: string;
}

/** The files of a message, or of a tool's result. */
export function Files({ content, thread, message }: Props) {
  const files = filesOf(content);
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label="Files" data-testid="files">
      {files.map(({ at, part }) => (
        <li key={at} data-testid="file" data-kind={part.type}>
          <One part={part} path={placeOf(part) ?? pathOf(thread, message ?? "", at)} />
        </li>
      ))}
    </ul>
  );
}

const placeOf = (part: FilePart) => (isLink(part) ? part.source.value.split("?", 1)[0]! : undefined);

function One({ part, path }: { part: FilePart; path: string }) {
  if (part.source.type === "file" || (part.source.type === "url" && !isLink(part))) return <Elsewhere part={part} />;
  return part.type === "image" ? <Picture part={part} path={path} /> : <Saved part={part} path={path} />;
}

/** A file at another host is a link, because loading it would tell that host about the reader; a handle of a model's provider opens nothing. */
function Elsewhere({ part }: { part: FilePart }) {
  const { name, mimeType } = about(part);
  const page = part.source.type === "url" ? webPage(part.source.value) : undefined;
  const more = page ? page.host : part.source.type === "url" ? "an address that cannot be opened" : "kept by the model's provider";
  const words = (
    <>
      <IconFile />
      <span className="file-name">{name}</span>
      <span className="muted">{[mimeType && nameOf(mimeType), more].filter(Boolean).join(", ")}</span>
      {page && <IconArrow />}
    </>
  );
  if (!page) return <span className="file-card">{words}</span>;
  return (
    <a className="file-card" href={page.href} target="_blank" rel="noreferrer noopener">
      {words}
    </a>
  );
}
