import type { SpanContext } from "./global-api.ts";

/** Stores the spans that caused something, for links to them. Retains only the most recent entries, up to a maximum. */
export class RecentSpans {
  readonly #most: number;
  readonly #spans = new Map<string, SpanContext>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Stores the span for a key, unless the key already has one. Does nothing without a span. */
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
