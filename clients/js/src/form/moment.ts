// Dates and times: a browser's controls have them in local time without a zone, RFC 3339 wants one.

/** A value as the control for its format shows it. */
export function toLocal(format: string, value: string): string {
  if (format === "time") return /^\d\d:\d\d(:\d\d)?/.exec(value)?.[0] ?? "";
  if (format !== "date-time" || value === "") return value;
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** What a control for a format holds, as the format wants it: with the offset of the person's own zone then, or today for a time. */
export function fromLocal(format: string, text: string): string {
  if (format !== "time" && format !== "date-time") return text;
  const seconds = /:\d\d:\d\d/.test(text) ? text : `${text}:00`;
  const date = format === "time" ? new Date() : new Date(seconds);
  return seconds.replace(/\.\d+$/, "") + offset(date);
}

function offset(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "Z";
  const two = (n: number) => String(Math.trunc(n)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}
