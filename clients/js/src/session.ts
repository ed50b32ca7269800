// What a tab remembers of its conversation, so that a reload comes back to it.

/** The part of a Storage that is used. */
export type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface Remembered {
  threadId: string;
  /** The id of the last event that the tab has read. */
  cursor?: string;
}

/** The place of one conversation in a tab's sessionStorage. */
export class Session {
  private readonly key: string;
  private readonly store: Store | undefined;

  constructor(name: string, store: Store | undefined = tabStorage()) {
    [this.key, this.store] = [`agui-gateway ${name}`, store];
  }

  /** Reads the place; undefined in a new tab. */
  read(): Remembered | undefined {
    try {
      const value: unknown = JSON.parse(this.store?.getItem(this.key) ?? "null");
      if (typeof value !== "object" || value === null) return undefined;
      const { threadId, cursor } = value as Record<string, unknown>;
      if (typeof threadId !== "string" || threadId === "") return undefined;
      return { threadId, ...(typeof cursor === "string" && { cursor }) };
    } catch {
      return undefined; // somebody else's value, or storage that is forbidden
    }
  }

  write(remembered: Remembered | undefined): void {
    try {
      if (remembered) this.store?.setItem(this.key, JSON.stringify(remembered));
      else this.store?.removeItem(this.key);
    } catch {
      // Storage is full or forbidden: the conversation lasts as long as the page.
    }
  }
}

function tabStorage(): Store | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
