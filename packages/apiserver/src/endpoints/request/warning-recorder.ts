const shortened = 256;
const budget = 4_096;

/** Collects the warnings for one response. Each text is sent only once. @see apiserver pkg/endpoints/filters WithWarningRecorder */
export class WarningRecorder {
  readonly #texts = new Set<string>();

  /** Adds a warning. As in upstream, text with control characters is skipped, because it cannot be sent. */
  add(text: string): void {
    if (text !== "" && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  /**
   * Returns the values of the `Warning` header. If the warnings are too long in total, each warning is shortened, and warnings that still
   * do not fit are omitted.
   */
  headers(): string[] {
    if (this.#texts.size === 0) return [];
    const texts = [...this.#texts].map((text) => [...text]);
    const isLong = texts.reduce((sum, { length }) => sum + length, 0) > budget;
    const shown: string[] = [];
    let spent = 0;
    for (const text of texts) {
      if (isLong && spent >= budget) break;
      const kept = isLong ? text.slice(0, shortened) : text;
      spent += kept.length;
      shown.push(`299 - "${onTheWire(kept.join("").replace(/["\\]/g, "\\$&"))}"`);
    }
    return shown;
  }
}

/** Encodes text for a header as UTF-8. Node writes each character of a header as one byte. */
const onTheWire = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
