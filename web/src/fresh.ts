// Threads that this tab has created and not used yet. The gateway does not know them, so it is not asked about them.

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
    // Storage is full or forbidden. After a reload the gateway is then asked once for a thread that it does not know.
  }
}

export const isFresh = (thread: string): boolean => read().includes(thread);

export const markFresh = (thread: string) => write([...read(), thread]);

export const markUsed = (thread: string) => write(read().filter((id) => id !== thread));
