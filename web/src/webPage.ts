/** The address of a web page, with its host; undefined for all other addresses. */
export function webPage(address: unknown): { href: string; host: string } | undefined {
  if (typeof address !== "string" || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { href, host } = new URL(address);
  return { href, host };
}
