import type { WidgetProps } from "@rjsf/utils";
import { useState } from "react";
import { describedBy } from "./context.ts";
import { visible } from "./visible.ts";

const MAX_BYTES = 1024 * 1024;

/** One file, or several: as base64 where the schema says so, else as a data URL. */
export function FileWidget({ id, schema, value, multiple, required, disabled, readonly, onChange }: WidgetProps) {
  const [refused, setRefused] = useState<string>();
  const files: string[] = [value].flat().filter((one) => typeof one === "string" && one !== "");
  const item = multiple && typeof schema.items === "object" && !Array.isArray(schema.items) ? schema.items : schema;
  const bare = (item as { contentEncoding?: string }).contentEncoding === "base64";
  const add = async (chosen: FileList | null) => {
    const all = [...(chosen ?? [])];
    if (all.length === 0) return;
    const taken = files.reduce((sum, file) => sum + bytesOf(file), 0) * (multiple ? 1 : 0);
    if (all.reduce((sum, { size }) => sum + size, taken) > MAX_BYTES) return setRefused(`That is more than ${sizeOf(MAX_BYTES)}. Please choose something smaller.`);
    setRefused(undefined);
    const read = await Promise.all(all.map(dataURL));
    const made = read.map((url) => (bare ? url.slice(url.indexOf(",") + 1) : url));
    onChange(multiple ? [...files, ...made] : made[0]);
  };
  const remove = (i: number) => onChange(multiple ? files.filter((_, other) => other !== i) : undefined);
  return (
    <div className="schema-files">
      <input
        id={id}
        type="file"
        className="field"
        multiple={multiple}
        disabled={disabled || readonly}
        aria-required={required}
        aria-describedby={describedBy(id)}
        accept={(item as { contentMediaType?: string }).contentMediaType}
        data-testid="answer-field"
        onChange={({ target }) => {
          void add(target.files);
          target.value = ""; // the same file may be chosen again
        }}
      />
      {files.map((file, i) => (
        <p key={i} className="schema-file">
          {nameOf(file)} ({sizeOf(bytesOf(file))}){" "}
          <button type="button" className="button" disabled={disabled || readonly} aria-label={`Remove ${nameOf(file)}`} onClick={() => remove(i)}>
            Remove
          </button>
        </p>
      ))}
      {refused && (
        <p className="problem" role="alert">
          {refused}
        </p>
      )}
    </div>
  );
}

/** The file as a data URL that has its name, as the form library's own do. */
function dataURL(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(";base64", `;name=${encodeURIComponent(file.name)};base64`));
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

const nameOf = (file: string): string => visible(decoded(/^data:[^,]*;name=([^;,]*)/.exec(file)?.[1] ?? "A file"));

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a stray percent sign
  }
}

const bytesOf = (file: string): number => Math.floor(((file.length - file.indexOf(",") - 1) * 3) / 4);

const sizeOf = (bytes: number): string => (bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 102.4) / 10} MB`);
