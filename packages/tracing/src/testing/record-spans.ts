import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type GlobalApi,
  type GlobalContext,
  type GlobalSpan,
  type GlobalSpanOptions,
  globalApi,
  type SpanContext,
  type SpanLink,
  setGlobalApi,
  spanIn,
} from "../global-api.ts";

/** A recorded span, for assertions in tests. */
export class RecordedSpan implements GlobalSpan {
  readonly name: string;
  /** Name of the package that started the span. */
  readonly tracer: string;
  /** Kind of the span, as in OpenTelemetry's `SpanKind`: 0 for internal, 1 for server, 2 for client, 3 for producer, 4 for consumer. */
  readonly kind: number;
  readonly links: SpanLink[];
  readonly parentSpanId: string | undefined;
  readonly attributes: Record<string, unknown> = {};
  readonly events: { readonly name: string; readonly attributes: Attributes | undefined }[] = [];
  readonly exceptions: { readonly name: string; readonly message: string; readonly stack: string }[] = [];
  /** Status of the span. Its code is one of OpenTelemetry's `SpanStatusCode`: 0 for unset, 1 for OK, 2 for error. */
  status: { readonly code: number; readonly message?: string | undefined } = { code: 0 };
  hasEnded = false;
  readonly #context: SpanContext;

  constructor(tracer: string, name: string, options: GlobalSpanOptions, parent: SpanContext | undefined, id: number) {
    this.tracer = tracer;
    this.name = name;
    this.kind = options.kind;
    this.links = [...options.links];
    this.parentSpanId = parent?.spanId;
    this.setAttributes(options.attributes);
    const spanId = id.toString(16).padStart(16, "0");
    this.#context = { traceId: parent?.traceId ?? id.toString(16).padStart(32, "0"), spanId, traceFlags: 1 };
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttributes(attributes: Attributes): this {
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) this.attributes[name] = value;
    return this;
  }

  addEvent(name: string, attributes?: Attributes): this {
    this.events.push({ name, attributes });
    return this;
  }

  addLink(link: SpanLink): this {
    this.links.push(link);
    return this;
  }

  setStatus(status: { readonly code: number; readonly message?: string | undefined }): this {
    this.status = status;
    return this;
  }

  recordException(exception: { readonly name: string; readonly message: string; readonly stack: string }): void {
    this.exceptions.push(exception);
  }

  end(): void {
    this.hasEnded = true;
  }
}

/**
 * A recording of all spans started since {@link recordSpans} was called. Disposing of it ends the recording but keeps
 * the spans.
 */
export interface SpanRecording extends Disposable {
  /** Spans in the order in which they started. */
  readonly spans: readonly RecordedSpan[];
  /** Returns the spans with the given name. */
  named(name: string): readonly RecordedSpan[];
}

const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/**
 * Starts recording spans. Until you dispose of the result, a tracer provider, a context manager and a W3C Trace Context
 * propagator are registered, as by OpenTelemetry's SDK.
 *
 * @throws {Error} if an OpenTelemetry API is already registered
 */
export function recordSpans(): SpanRecording {
  if (globalApi()) throw new Error("an OpenTelemetry API is already registered");
  const spans: RecordedSpan[] = [];
  const contexts = new AsyncLocalStorage<GlobalContext>();
  const api: GlobalApi = {
    version: "1.10.0",
    trace: {
      getTracer: (tracer) => ({
        startSpan: (name, options, context) => {
          const span = new RecordedSpan(tracer, name, options, spanIn(context), spans.length + 1);
          spans.push(span);
          return span;
        },
      }),
    },
    context: {
      active: () => contexts.getStore() ?? empty,
      with: (context, work) => contexts.run(context, work),
    },
    propagation: {
      extract: (context, carrier, getter) => {
        const [, traceId, spanId] =
          getter.get(carrier, "traceparent")?.match(/^00-([0-9a-f]{32})-([0-9a-f]{16})-/) ?? [];
        if (!traceId || !spanId) return context;
        const remote: SpanContext = { traceId, spanId, traceFlags: 1, isRemote: true };
        return context.setValue(spanKey, { spanContext: () => remote });
      },
    },
  };
  setGlobalApi(api);
  return {
    spans,
    named: (name) => spans.filter((span) => span.name === name),
    [Symbol.dispose]: () => setGlobalApi(undefined),
  };
}

const contextOf = (values: ReadonlyMap<symbol, unknown>): GlobalContext => ({
  getValue: (key) => values.get(key),
  setValue: (key, value) => contextOf(new Map([...values, [key, value]])),
  deleteValue: (key) => contextOf(new Map([...values].filter(([known]) => known !== key))),
});

const empty = contextOf(new Map());
