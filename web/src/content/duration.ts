/** A duration as people say it. */
export function duration(seconds: number): string {
  if (seconds < 1.5) return "a second";
  if (seconds < 59.5) return `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
