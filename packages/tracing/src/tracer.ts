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

/** Values of OpenTelemetry's `SpanKind`, keyed by name. */
const kinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;

/** Options for a new span. @see `@opentelemetry/api` SpanOptions */
export interface SpanOptions {
  /** Kind of the span. Default `internal`. */
  readonly kind?: keyof typeof kinds | undefined;
  readonly attributes?: Attributes | undefined;
  /** Related spans other than the parent. Default: none. */
  readonly links?: readonly SpanLink[] | undefined;
  /** True to start a span without a parent, for example for work that serves several operations. Default false. */
  readonly isRoot?: boolean | undefined;
  /** HTTP headers that contain a span from another process. That span becomes the parent unless a span in this process is active. */
  readonly parent?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Starts spans with the tracer provider that the program has registered with `@opentelemetry/api`. The program can
 * register a provider at any time; without one, the tracer does nothing. Frequent callers should check {@link isOn}
 * before they compute a span's name and attributes.
 */
export class Tracer {
  readonly #name: string;
  readonly #version: string | undefined;
  #provider: GlobalTracerProvider | undefined;
  #tracer: ReturnType<GlobalTracerProvider["getTracer"]> | undefined;

  /** Creates a tracer. @param name name of the instrumented package, such as `@kubewright/client` */
  constructor(name: string, version?: string) {
    this.#name = name;
    this.#version = version;
  }

  /** True if a tracer provider is registered. The check takes a few nanoseconds. */
  get isOn(): boolean {
    return globalApi()?.trace !== undefined;
  }

  /** Identity of the active span, to which later work can link. `undefined` if there is no tracer provider or no active span. */
  get active(): SpanContext | undefined {
    try {
      return this.isOn ? spanIn(activeContext()) : undefined;
    } catch {
      return undefined; // a failing tracer must not affect the program
    }
  }

  /** Starts a span, which the caller must end. Never throws. */
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
      return noSpan; // a failing tracer must not affect the program
    }
  }

  /**
   * Runs `work` within a span, and ends the span afterwards.
   *
   * @throws any error that `work` throws, once it has been recorded in the span
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
