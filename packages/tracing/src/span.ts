import {
  type Attributes,
  type GlobalSpan,
  globalApi,
  type SpanContext,
  type SpanLink,
  withSpan,
} from "./global-api.ts";

/** Value of OpenTelemetry's `SpanStatusCode.ERROR`. */
const statusError = 2;
/** Maximum number of characters that are recorded of an error's message and stack. */
const longestMessage = 1_000;
const longestStack = 4_000;

/**
 * A span that represents an operation. All methods can be called without a tracer provider and after the span has
 * ended. They never throw, so tracing cannot affect the program.
 */
export class Span {
  readonly #span: GlobalSpan | undefined;

  constructor(span?: GlobalSpan) {
    this.#span = span;
  }

  /** Identity of the span, or `undefined` if there is no tracer provider. */
  get context(): SpanContext | undefined {
    let context: SpanContext | undefined;
    this.#apply((span) => {
      context = span.spanContext();
    });
    return context;
  }

  /**
   * Sets attributes. Their names follow OpenTelemetry's semantic conventions; names that this framework adds start with `kubewright.`.
   * Values must not contain object bodies or secrets.
   */
  set(attributes: Attributes): void {
    this.#apply((span) => span.setAttributes(attributes));
  }

  /** Adds an event at the current time. */
  event(name: string, attributes: Attributes): void {
    this.#apply((span) => span.addEvent(name, attributes));
  }

  /** Adds a link to another span after this span has started. Has no effect with API versions before 1.9. */
  link(link: SpanLink): void {
    this.#apply((span) => span.addLink?.(link));
  }

  /** Marks the span as failed. Records the error's name and its shortened message and stack, but not its fields or causes. */
  fail(error: unknown): void {
    this.#apply((span) => {
      const { name, message, stack } = exceptionOf(error);
      span.recordException({ name, message, stack });
      span.setAttributes({ "error.type": name });
      span.setStatus({ code: statusError, message });
    });
  }

  end(): void {
    this.#apply((span) => span.end());
  }

  /**
   * Runs `work` in the context of the span. If a context manager is registered, spans that start within `work` are children of this span,
   * even after an `await`.
   */
  run<T>(work: () => T): T {
    const manager = globalApi()?.context;
    return this.#span && manager ? manager.with(withSpan(manager.active(), this.#span), work) : work();
  }

  #apply(what: (span: GlobalSpan) => unknown): void {
    if (!this.#span) return;
    try {
      what(this.#span);
    } catch {
      // a failing tracer must not affect the program
    }
  }
}

/** A span that does nothing, used if there is no tracer provider. */
export const noSpan = new Span();

function exceptionOf(error: unknown): { readonly name: string; readonly message: string; readonly stack: string } {
  if (!(error instanceof Error))
    return { name: typeof error, message: "a value that is not an error was thrown", stack: "" };
  const { name, message, stack = "" } = error;
  const at = stack.indexOf("\n    at ");
  const frames = at < 0 ? "" : stack.slice(at);
  const short = abridged(message, longestMessage);
  return { name, message: short, stack: `${name}: ${short}${abridged(frames, longestStack)}` };
}

const abridged = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
