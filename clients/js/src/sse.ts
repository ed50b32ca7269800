// Server-sent events, as the HTML standard has them: lines end in LF, CR or CRLF, and chunks end anywhere.

export interface Frame {
  /** The data lines, joined by LF. */
  data: string;
  /** The frame's own id, if it had one. */
  id?: string;
  /** The event field; "message" is meant if it is absent. */
  event?: string;
}

/** Takes text in chunks and passes on each complete frame that has data. */
export class FrameParser {
  private line = "";
  private afterCR = false;
  private started = false;
  private data: string[] = [];
  private id: string | undefined;
  private event: string | undefined;

  push(text: string): Frame[] {
    if (!this.started && text !== "") {
      this.started = true;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    const frames: Frame[] = [];
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c !== 10 && c !== 13) {
        this.afterCR = false;
        continue;
      }
      // The CR of a CRLF has ended the line already, perhaps at the end of the chunk before.
      const second = c === 10 && this.afterCR;
      this.afterCR = c === 13;
      if (!second) this.endLine(this.line + text.slice(from, i), frames);
      this.line = "";
      from = i + 1;
    }
    this.line += text.slice(from);
    return frames;
  }

  private endLine(line: string, frames: Frame[]) {
    if (line === "") {
      if (this.data.length > 0) {
        const frame: Frame = { data: this.data.join("\n") };
        if (this.id !== undefined) frame.id = this.id;
        if (this.event !== undefined) frame.event = this.event;
        frames.push(frame);
      }
      [this.data, this.id, this.event] = [[], undefined, undefined];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment: the gateway's heartbeat
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "event") this.event = value;
  }
}
