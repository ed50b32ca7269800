const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["minute", 60],
  ["hour", 60],
  ["day", 24],
  ["week", 7],
];

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** How long ago a time was, roughly; past a month, its date. */
export function ago(time: string, now = Date.now()): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return "";
  let amount = (now - then) / 1000;
  if (amount < 60) return "just now";
  if (amount > 30 * 86400) return new Date(then).toLocaleDateString("en", { dateStyle: "medium" });
  let unit: Intl.RelativeTimeFormatUnit = "second";
  for (const [next, size] of units) {
    if (amount < size) break;
    amount /= size;
    unit = next;
  }
  return format.format(-Math.floor(amount), unit);
}
