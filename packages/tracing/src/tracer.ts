import {
  type Attributes,
  activeContext,
  type GlobalContext,
  type GlobalTracerProvider,
  globalApi,
  root,
  type SpanContext,
  type SpanLink,
  spanIn,
} from "./global-api.ts";
import { noSpan, Span } from "./span.ts";

/** OpenTelemetry's `SpanKind`. */
const kinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;

/** What a span says of itself as it begins, and what it is part of. @see `@opentelemetry/api` SpanOptions */
export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: keyof typeof kinds | undefined;
  readonly attributes?: Attributes | undefined;
  /** Spans that it goes back to without being their child. */
  readonly links?: readonly SpanLink[] | undefined;
  /** It belongs to no span that is active: what is done for several at a time. Default false. */
  readonly isRoot?: boolean | undefined;
  /** Headers that name the span of another process that it is part of, unless one of this process is active. */
  readonly parent?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Begins spans with the tracer provider that the program has registered with `@opentelemetry/api`, whenever that is, and does nothing where
 * there is none. It asks for {@link isOn} before it makes the names and attributes of a span, and so should whoever works often.
 */
export class Tracer {
  readonly #name: string;
  readonly #version: string | undefined;
  #provider: GlobalTracerProvider | undefined;
  #tracer: ReturnType<GlobalTracerProvider["getTracer"]> | undefined;

  /** @param name of the instrumented package: `@kubewright/client` */
  constructor(name: string, version?: string) {
    this.#name = name;
    this.#version = version;
  }

  /** Whether a tracer provider is registered. Costs a few nanoseconds. */
  get isOn(): boolean {
    return globalApi()?.trace !== undefined;
  }

  /** Which span is active, for links from what is done for it later. `undefined` where nobody listens. */
  get active(): SpanContext | undefined {
    try {
      return this.isOn ? spanIn(activeContext()) : undefined;
    } catch {
      return undefined; // a tracer that fails is not the program's failure
    }
  }

  /** Begins a span, which is the caller's to end. Never throws. */
  begin(name: string, options: SpanOptions = {}): Span {
    try {
      const provider = globalApi()?.trace;
      if (!provider) return noSpan;
      if (provider !== this.#provider) this.#tracer = provider.getTracer(this.#name, this.#version);
      this.#provider = provider;
      const { kind = "internal", attributes = {}, links = [], parent, isRoot = false } = options;
      const active = isRoot ? root : activeContext();
      const context = parent ? contextFrom(active, parent) : active;
      return new Span(this.#tracer?.startSpan(name, { kind: kinds[kind], attributes, links }, context));
    } catch {
      return noSpan; // a tracer that fails is not the program's failure
    }
  }

  /**
   * Does something within a span, which ends with it.
   *
   * @throws what `work` throws, which the span tells
   */
  async within<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.begin(name, options);
    try {
      return await span.run(() => work(span));
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }
}

type Headers = Readonly<Record<string, string | undefined>>;

function contextFrom(active: GlobalContext, headers: Headers): GlobalContext {
  const propagation = globalApi()?.propagation;
  if (!propagation || spanIn(active)) return active;
  return propagation.extract(active, headers, {
    keys: (carrier) => Object.keys(carrier),
    get: (carrier, key) => carrier[key.toLowerCase()],
  });
}
