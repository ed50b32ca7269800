// Threads that this tab has made up and that nothing was said on yet: there is nothing to ask the gateway about them.

const KEY = "fresh-threads";

function read(): string[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function write(ids: string[]) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids.slice(-20)));
  } catch {
    // Storage is full or forbidden; then a reload asks once for a thread that is not there.
  }
}

export const isFresh = (thread: string): boolean => read().includes(thread);

export const markFresh = (thread: string) => write([...read(), thread]);

export const markUsed = (thread: string) => write(read().filter((id) => id !== thread));
