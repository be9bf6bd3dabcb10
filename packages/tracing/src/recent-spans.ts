import type { SpanContext } from "./global-api.ts";

/** Which span made what, for links to it: the latest, up to a number. */
export class RecentSpans {
  readonly #most: number;
  readonly #spans = new Map<string, SpanContext>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The first that made it stays. Does nothing for a span that nobody hears of. */
  note(what: string, span: SpanContext | undefined): void {
    if (!span || this.#spans.has(what)) return;
    this.#spans.set(what, span);
    if (this.#spans.size <= this.#most) return;
    const [oldest = ""] = this.#spans.keys();
    this.#spans.delete(oldest);
  }

  get(what: string): SpanContext | undefined {
    return this.#spans.get(what);
  }
}
