import {
  type Attributes,
  type GlobalSpan,
  globalApi,
  type SpanContext,
  type SpanLink,
  withSpan,
} from "./global-api.ts";

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
const statusError = 2;
/** Of an error's words, so much is told. */
const longestMessage = 1_000;
const longestStack = 4_000;

/**
 * Something that takes time. All of it may be called whether or not anybody listens, also after the end, and none of it throws: what is told
 * must not stop what is done.
 */
export class Span {
  readonly #span: GlobalSpan | undefined;

  constructor(span?: GlobalSpan) {
    this.#span = span;
  }

  /** Which span it is; `undefined` where nobody listens. */
  get context(): SpanContext | undefined {
    let context: SpanContext | undefined;
    this.#tell((span) => {
      context = span.spanContext();
    });
    return context;
  }

  /** Names by OpenTelemetry's semantic conventions, ours begin with `kubewright.`. Never bodies of objects, never secrets. */
  set(attributes: Attributes): void {
    this.#tell((span) => span.setAttributes(attributes));
  }

  /** Something that happened at one moment of it. */
  event(name: string, attributes: Attributes): void {
    this.#tell((span) => span.addEvent(name, attributes));
  }

  /** Another span that it goes back to, learned of only now. An API before 1.9 has no place for it. */
  link(link: SpanLink): void {
    this.#tell((span) => span.addLink?.(link));
  }

  /** It did not do what it was to do. Of the error its name, its words and its stack are told, abridged; neither its fields nor its causes. */
  fail(error: unknown): void {
    this.#tell((span) => {
      const { name, message, stack } = told(error);
      span.recordException({ name, message, stack });
      span.setAttributes({ "error.type": name });
      span.setStatus({ code: statusError, message });
    });
  }

  end(): void {
    this.#tell((span) => span.end());
  }

  /** Does something within it: spans that begin there, also after an `await`, are its children, where a context manager is registered. */
  run<T>(work: () => T): T {
    const manager = globalApi()?.context;
    return this.#span && manager ? manager.with(withSpan(manager.active(), this.#span), work) : work();
  }

  #tell(what: (span: GlobalSpan) => unknown): void {
    if (!this.#span) return;
    try {
      what(this.#span);
    } catch {
      // a tracer that fails is not the program's failure
    }
  }
}

/** A span that nobody hears of. */
export const noSpan = new Span();

function told(error: unknown): { readonly name: string; readonly message: string; readonly stack: string } {
  if (!(error instanceof Error))
    return { name: typeof error, message: "something else than an error was thrown", stack: "" };
  const { name, message, stack = "" } = error;
  const at = stack.indexOf("\n    at ");
  const frames = at < 0 ? "" : stack.slice(at);
  const short = abridged(message, longestMessage);
  return { name, message: short, stack: `${name}: ${short}${abridged(frames, longestStack)}` };
}

const abridged = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
