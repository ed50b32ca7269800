import { stringify } from "client/form/exact";

/** Has the browser save a value as a JSON file. */
export function save(name: string, value: unknown) {
  const url = URL.createObjectURL(new Blob([stringify(value, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url)); // the download has begun by then
}
