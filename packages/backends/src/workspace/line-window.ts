/** Longest line shown, in UTF-16 code units. */
const MAX_LINE_CHARS = 20_000;
/** Most that one page shows. */
const MAX_PAGE_CHARS = 400_000;

/** Picks a page of lines out of a text that comes in pieces, and counts all of them. Holds no more than the page. */
export class LineWindow {
  readonly #first: number;
  readonly #last: number;
  readonly lines: string[] = [];
  /** Something of the lines shown was cut. */
  cut = false;
  #at = 0;
  #current = "";
  #currentChars = 0;
  #shownChars = 0;
  #full = false;

  constructor(offset: number, limit: number) {
    this.#first = offset;
    this.#last = offset + limit;
  }

  /** Lines so far, the last one not counted until it has ended. */
  get count(): number {
    return this.#at;
  }

  push(text: string): void {
    let from = 0;
    for (;;) {
      const newline = text.indexOf("\n", from);
      if (newline < 0) break;
      this.#take(text, from, newline);
      this.#endLine();
      from = newline + 1;
    }
    this.#take(text, from, text.length);
  }

  /** A last line without a newline is a line; nothing behind the last newline is none. */
  end(): void {
    if (this.#currentChars > 0) this.#endLine();
  }

  get #wanted(): boolean {
    return this.#at >= this.#first && this.#at < this.#last && !this.#full;
  }

  #take(text: string, from: number, to: number): void {
    this.#currentChars += to - from;
    // One more than is shown, since the last may be the CR of the line's end.
    const room = MAX_LINE_CHARS + 1 - this.#current.length;
    if (this.#wanted && room > 0) this.#current += text.slice(from, Math.min(to, from + room));
  }

  #endLine(): void {
    if (this.#wanted) {
      const whole = this.#currentChars === this.#current.length;
      let line = whole && this.#current.endsWith("\r") ? this.#current.slice(0, -1) : this.#current;
      if (line.length > MAX_LINE_CHARS || !whole) {
        const left = this.#currentChars - MAX_LINE_CHARS;
        line = `${line.slice(0, MAX_LINE_CHARS)} [truncated: ${left} characters of this line are not shown]`;
        this.cut = true;
      }
      if (this.#shownChars + line.length > MAX_PAGE_CHARS && this.lines.length > 0) this.#full = true;
      else {
        this.#shownChars += line.length + 1;
        this.lines.push(line);
      }
    }
    this.#at += 1;
    this.#current = "";
    this.#currentChars = 0;
  }
}
