/** Which span it is, for links. @see W3C Trace Context */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: it is recorded. */
  readonly traceFlags: number;
  /** Whether it is a span of another process. Default false. */
  readonly isRemote?: boolean | undefined;
}

/** What an attribute of a span may be. @see `@opentelemetry/api` AttributeValue */
export type AttributeValue = string | number | boolean | readonly string[];

/** By their names; `undefined` is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A span that another goes back to without being its child. */
export interface SpanLink {
  readonly context: SpanContext;
  readonly attributes?: Attributes;
}

/** Of OpenTelemetry's `Context`, all. */
export interface GlobalContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): GlobalContext;
  deleteValue(key: symbol): GlobalContext;
}

/** Of OpenTelemetry's `Span`, what is asked for. */
export interface GlobalSpan {
  spanContext(): SpanContext;
  setAttributes(attributes: Attributes): unknown;
  addEvent(name: string, attributes?: Attributes): unknown;
  /** Since 1.9 of the API. */
  addLink?(link: SpanLink): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(exception: { readonly name: string; readonly message: string; readonly stack: string }): void;
  end(): void;
}

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

/** Reads what identifies a context from a carrier: the headers of W3C Trace Context, say. */
interface GlobalPropagation {
  extract<C>(
    context: GlobalContext,
    carrier: C,
    getter: { keys(carrier: C): string[]; get(carrier: C, key: string): string | undefined },
  ): GlobalContext;
}

/** What `@opentelemetry/api` keeps on `globalThis`, so that all copies of it in a process are one. Parts are there once they are registered. */
export interface GlobalApi {
  readonly version: string;
  readonly trace?: GlobalTracerProvider;
  readonly context?: GlobalContextManager;
  readonly propagation?: GlobalPropagation;
}

const apiKey: unique symbol = Symbol.for("opentelemetry.js.api.1");
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** Where the API of OpenTelemetry, in its first major version, keeps what was registered. */
const place = globalThis as { [apiKey]?: GlobalApi | undefined };

/** What was registered, if anything was. A property of an object, so this costs nothing to ask. */
export const globalApi = (): GlobalApi | undefined => place[apiKey];

/** For tests. */
export function setGlobalApi(api: GlobalApi | undefined): void {
  place[apiKey] = api;
}

/** A context with nothing in it but what is put there. */
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

/** In which nothing has a parent. */
export const root: GlobalContext = new PlainContext();

/** What is active now; where nobody keeps track of that, nothing is. */
export const activeContext = (): GlobalContext => globalApi()?.context?.active() ?? root;

/** The context in which a span is the parent of those that begin. */
export const withSpan = (context: GlobalContext, span: GlobalSpan): GlobalContext => context.setValue(spanKey, span);

/** The span whose children begin in a context. */
export function spanIn(context: GlobalContext): SpanContext | undefined {
  const span = context.getValue(spanKey);
  return isSpan(span) ? span.spanContext() : undefined;
}

const isSpan = (value: unknown): value is Pick<GlobalSpan, "spanContext"> =>
  typeof value === "object" && value !== null && "spanContext" in value && typeof value.spanContext === "function";
