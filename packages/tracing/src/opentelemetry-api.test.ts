import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  trace,
} from "@opentelemetry/api";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RecordedSpan } from "./testing/record-spans.ts";
import { Tracer } from "./tracer.ts";

const began: RecordedSpan[] = [];
const storage = new AsyncLocalStorage<Context>();
const tracer = new Tracer("@kubewright/test", "1.2.3");

/** Registers what the SDK registers, through the API itself, which defines where things are stored and the key of a span in a context. */
beforeEach(() => {
  began.length = 0;
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, thisArg, ...args) => storage.run(active, () => work.apply(thisArg, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider({
    getTracer: (name, version) => ({
      startSpan: (spanName, options = {}, active = context.active()) => {
        const { kind = 0, attributes = {}, links = [] } = options;
        const known = Object.entries(attributes).map(([key, value]) => [key, String(value)]);
        const parent = trace.getSpanContext(active);
        const exported = {
          kind,
          attributes: Object.fromEntries(known),
          links: links.map((link) => ({ context: link.context })),
        };
        const span = new RecordedSpan(`${name}@${version}`, spanName, exported, parent, began.length + 1);
        began.push(span);
        return asSpan(span);
      },
      startActiveSpan: () => {
        throw new Error("not expected");
      },
    }),
  });
  propagation.setGlobalPropagator({
    inject: () => {},
    extract: (active, carrier, getter) => {
      const spanId = String(getter.get(carrier, "traceparent"));
      return trace.setSpanContext(active, { traceId: "1".repeat(32), spanId, traceFlags: 1, isRemote: true });
    },
    fields: () => ["traceparent"],
  });
});
afterEach(() => {
  for (const each of [trace, context, propagation]) each.disable();
});

const asSpan = (span: RecordedSpan): Span => ({
  spanContext: () => ({ ...span.spanContext(), isRemote: false }),
  setAttribute: () => asSpan(span),
  setAttributes: () => asSpan(span),
  addEvent: () => asSpan(span),
  addLink: () => asSpan(span),
  addLinks: () => asSpan(span),
  setStatus: () => asSpan(span),
  updateName: () => asSpan(span),
  end: () => span.end(),
  isRecording: () => true,
  recordException: () => {},
});

it("uses what @opentelemetry/api registers, and its spans are parents and children of spans from that API", async () => {
  expect(tracer.isOn).toBe(true);
  await tracer.within("ours", {}, async (ours) => {
    expect(trace.getActiveSpan()?.spanContext().spanId).toBe(ours.context?.spanId);
    await Promise.resolve();
    trace.getTracer("theirs").startSpan("within ours");
  });
  const theirs = trace.getTracer("theirs").startSpan("theirs");
  context.with(trace.setSpan(context.active(), theirs), () => tracer.begin("within theirs"));
  tracer.begin("called", { parent: { traceparent: "9".repeat(16) } });
  expect(began.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ["ours", undefined],
    ["within ours", began[0]?.spanContext().spanId],
    ["theirs", undefined],
    ["within theirs", began[2]?.spanContext().spanId],
    ["called", "9".repeat(16)],
  ]);
  expect(began[0]).toMatchObject({ tracer: "@kubewright/test@1.2.3", hasEnded: true });
});

it("starts no spans after the API is unregistered", () => {
  trace.disable();
  expect(tracer.isOn).toBe(false);
  tracer.begin("not recorded");
  expect(began).toEqual([]);
});
