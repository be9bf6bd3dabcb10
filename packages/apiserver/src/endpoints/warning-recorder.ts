const shortenedBytes = 256;
const unshortenedBudget = 4_096;

/** Gathers the warnings of one request; each text is sent once. @see apiserver pkg/endpoints/filters WithWarningRecorder */
export class WarningRecorder {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== "") this.#texts.add(text);
  }

  /** Values of the `Warning` header. */
  headers(): string[] {
    let spent = 0;
    return [...this.#texts].map((text) => {
      const shown = spent + text.length > unshortenedBudget ? text.slice(0, shortenedBytes) : text;
      spent += shown.length;
      return `299 - "${shown.replace(/["\\]/g, "\\$&").replace(/[^\x20-\x7e]/g, " ")}"`;
    });
  }
}
