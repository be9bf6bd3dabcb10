/** Identity of a span, for use in links. @see W3C Trace Context */
export interface SpanContext {
  /** ID of the trace: 32 hexadecimal digits. */
  readonly traceId: string;
  /** ID of the span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Flags of the trace. Bit 0 is set if the span is recorded. */
  readonly traceFlags: number;
  /** True if the span belongs to another process. Default false. */
  readonly isRemote?: boolean | undefined;
}

/** Value of a span attribute. @see `@opentelemetry/api` AttributeValue */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes, keyed by name. `undefined` values are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A link to a span that is related, but is not the parent. */
export interface SpanLink {
  readonly context: SpanContext;
  readonly attributes?: Attributes | undefined;
}

/** The methods of OpenTelemetry's `Context` that this package calls. */
export interface GlobalContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): GlobalContext;
  deleteValue(key: symbol): GlobalContext;
}

/** The methods of OpenTelemetry's `Span` that this package calls. */
export interface GlobalSpan {
  spanContext(): SpanContext;
  setAttributes(attributes: Attributes): unknown;
  addEvent(name: string, attributes?: Attributes): unknown;
  /** Adds a link. This method exists since version 1.9 of the API. */
  addLink?(link: SpanLink): unknown;
  setStatus(status: { readonly code: number; readonly message?: string | undefined }): unknown;
  recordException(exception: { readonly name: string; readonly message: string; readonly stack: string }): void;
  end(): void;
}

/** Kind, attributes and links of a new span, as passed by OpenTelemetry's API. */
export interface GlobalSpanOptions {
  readonly kind: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanLink[];
}

interface GlobalTracer {
  startSpan(name: string, options: GlobalSpanOptions, context: GlobalContext): GlobalSpan;
}

export interface GlobalTracerProvider {
  getTracer(name: string, version?: string): GlobalTracer;
}

interface GlobalContextManager {
  active(): GlobalContext;
  with<T>(context: GlobalContext, work: () => T): T;
}

/** Reads the parent span from a carrier, such as the HTTP headers of W3C Trace Context. */
interface GlobalPropagation {
  extract<C>(
    context: GlobalContext,
    carrier: C,
    getter: { keys(carrier: C): string[]; get(carrier: C, key: string): string | undefined },
  ): GlobalContext;
}

/**
 * The object that `@opentelemetry/api` stores on `globalThis`, so that all copies of the package in a process share it.
 * Only registered parts are present.
 */
export interface GlobalApi {
  readonly version: string;
  readonly trace?: GlobalTracerProvider | undefined;
  readonly context?: GlobalContextManager | undefined;
  readonly propagation?: GlobalPropagation | undefined;
}

const apiKey: unique symbol = Symbol.for("opentelemetry.js.api.1");
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** Global object on which version 1 of the OpenTelemetry API stores its registered parts. */
const place = globalThis as { [apiKey]?: GlobalApi | undefined };

/** Returns the registered API, or `undefined` if there is none. The cost is a single property access. */
export const globalApi = (): GlobalApi | undefined => place[apiKey];

/** Sets the registered API. For tests only. */
export function setGlobalApi(api: GlobalApi | undefined): void {
  place[apiKey] = api;
}

/** A context that contains only the values that were set in it. */
class PlainContext implements GlobalContext {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): GlobalContext {
    return new PlainContext(new Map([...this.#values, [key, value]]));
  }

  deleteValue(key: symbol): GlobalContext {
    return new PlainContext(new Map([...this.#values].filter(([known]) => known !== key)));
  }
}

/** A context without a parent span. */
export const root: GlobalContext = new PlainContext();

/** Returns the active context, or {@link root} if no context manager is registered. */
export const activeContext = (): GlobalContext => globalApi()?.context?.active() ?? root;

/** Returns a context in which the given span is the parent of new spans. */
export const withSpan = (context: GlobalContext, span: GlobalSpan): GlobalContext => context.setValue(spanKey, span);

/** Returns the parent of new spans in a context, or `undefined` if there is none. */
export function spanIn(context: GlobalContext): SpanContext | undefined {
  const span = context.getValue(spanKey);
  return isSpan(span) ? span.spanContext() : undefined;
}

const isSpan = (value: unknown): value is Pick<GlobalSpan, "spanContext"> =>
  typeof value === "object" && value !== null && "spanContext" in value && typeof value.spanContext === "function";
