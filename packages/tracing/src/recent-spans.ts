import type { SpanContext } from "./global-api.ts";

/**
 * Stores spans, keyed by their effect (such as a write), so that later spans can link to them. Only the most recent
 * entries are kept.
 */
export class RecentSpans {
  readonly #most: number;
  readonly #spans = new Map<string, SpanContext>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Stores the span for a key, unless the key already has one. Has no effect if there is no span. */
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
