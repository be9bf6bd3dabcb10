import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GlobalContext, type GlobalSpanOptions, setGlobalApi } from "./global-api.ts";
import { noSpan } from "./span.ts";
import { recordSpans, type SpanRecording } from "./testing/record-spans.ts";
import { Tracer } from "./tracer.ts";

const tracer = new Tracer("@kubewright/test", "1.2.3");

describe("without a tracer provider", () => {
  it("starts no spans, and runs the work", async () => {
    expect(tracer.isOn).toBe(false);
    expect(tracer.begin("a")).toBe(noSpan);
    expect(tracer.active).toBeUndefined();
    expect(await tracer.within("a", {}, async (span) => span.run(() => span.context ?? "none"))).toBe("none");
    await expect(tracer.within("a", {}, () => Promise.reject(new Error("as it was")))).rejects.toThrow("as it was");
    noSpan.fail(new Error("nobody hears"));
    noSpan.end();
  });
});

describe("with one", () => {
  let recording: SpanRecording;
  beforeEach(() => {
    recording = recordSpans();
  });
  afterEach(() => recording[Symbol.dispose]());

  it("records the start, end, kind and attributes of a span", async () => {
    expect(tracer.isOn).toBe(true);
    const context = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 };
    const links = [{ context, attributes: { why: "so" } }];
    const options = { kind: "client", attributes: { verb: "get", absent: undefined }, links } as const;
    let hadEnded: boolean | undefined;
    await tracer.within("client get Pod", options, async (span) => {
      span.set({ code: 200 });
      span.event("seen", { key: "a/b" });
      span.link({ context: { ...context, spanId: "3".repeat(16) } });
      hadEnded = recording.spans[0]?.hasEnded;
    });
    expect(hadEnded).toBe(false);
    expect(recording.spans).toMatchObject([
      {
        name: "client get Pod",
        tracer: "@kubewright/test",
        kind: 2,
        links: [...links, { context: { ...context, spanId: "3".repeat(16) } }],
        attributes: { verb: "get", code: 200 },
        events: [{ name: "seen", attributes: { key: "a/b" } }],
        status: { code: 0 },
        hasEnded: true,
      },
    ]);
  });

  it("is the parent of spans that start within it, also after an await and for two at a time", async () => {
    const child = (name: string): Promise<void> => tracer.within(name, {}, async () => {});
    await Promise.all(
      ["one", "two"].map((name) =>
        tracer.within(name, {}, async () => {
          await new Promise(setImmediate);
          await child(`${name}'s`);
        }),
      ),
    );
    for (const name of ["one", "two"]) {
      const [parent] = recording.named(name);
      expect(recording.named(`${name}'s`)).toMatchObject([{ parentSpanId: parent?.spanContext().spanId }]);
    }
    await child("alone");
    expect(recording.named("alone")).toMatchObject([{ parentSpanId: undefined }]);
  });

  it("records only the name, message and stack of an error, shortened", async () => {
    class Refusal extends Error {
      override readonly name = "Refusal";
      readonly body = { password: "hunter2" };
    }
    const error = new Refusal(`no ${"o".repeat(2_000)}`, { cause: new Error("hunter3") });
    await expect(tracer.within("a", {}, () => Promise.reject(error))).rejects.toBe(error);
    const [span] = recording.spans;
    expect(span).toMatchObject({ hasEnded: true, attributes: { "error.type": "Refusal" }, status: { code: 2 } });
    expect(span?.status.message).toBe(`no ${"o".repeat(997)}…`);
    const [exception] = span?.exceptions ?? [];
    expect(exception?.stack).toMatch(/^Refusal: no o{997}…\n {4}at .*tracer.test.ts/);
    expect(JSON.stringify(span)).not.toContain("hunter");
    expect(JSON.stringify(span).length).toBeLessThan(9_000);
  });

  it("records the message of an error without a stack once, and at most 4,000 characters of a stack", async () => {
    const [flat, deep] = [new Error("flat"), new Error("deep")];
    flat.stack = "Error: flat";
    deep.stack = `Error: deep\n    at ${"x".repeat(5_000)}`;
    for (const error of [flat, deep]) await tracer.within("a", {}, () => Promise.reject(error)).catch(() => {});
    delete flat.stack;
    await tracer.within("a", {}, () => Promise.reject(flat)).catch(() => {});
    const stacks = recording.spans.map(({ exceptions }) => exceptions[0]?.stack);
    const cut = `Error: deep${`\n    at ${"x".repeat(5_000)}`.slice(0, 4_000)}…`;
    expect(stacks).toEqual(["Error: flat", cut, "Error: flat"]);
  });

  it("does not record a thrown value that is not an error", async () => {
    await expect(tracer.within("a", {}, () => Promise.reject({ password: "hunter2" }))).rejects.toBeDefined();
    expect(recording.spans[0]).toMatchObject({ attributes: { "error.type": "object" }, status: { code: 2 } });
    expect(JSON.stringify(recording.spans)).not.toContain("hunter");
  });

  it("uses a parent in another process if no span of this process is active", async () => {
    const parent = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
    tracer.begin("called", { kind: "server", parent });
    tracer.begin("without a parent", { kind: "server", parent: { traceparent: "nonsense" } });
    await tracer.within("instrumented", {}, async (span) => span.run(() => tracer.begin("within", { parent })));
    expect(recording.spans).toMatchObject([
      { name: "called", kind: 1, parentSpanId: "b".repeat(16) },
      { name: "without a parent", parentSpanId: undefined },
      { name: "instrumented" },
      { name: "within", parentSpanId: recording.spans[2]?.spanContext().spanId },
    ]);
  });

  it("returns the active span, and starts root spans", async () => {
    expect(tracer.active).toBeUndefined();
    await tracer.within("one", {}, async (span) => {
      await Promise.resolve();
      expect(tracer.active).toEqual(span.context);
      await tracer.within("apart", { isRoot: true }, async () => void tracer.begin("its child"));
    });
    const [, apart] = recording.spans;
    expect(apart).toMatchObject({ name: "apart", parentSpanId: undefined });
    expect(recording.spans[2]).toMatchObject({ name: "its child", parentSpanId: apart?.spanContext().spanId });
  });

  it("uses a provider that is registered later, and the next one after it", () => {
    tracer.begin("first");
    recording[Symbol.dispose]();
    tracer.begin("not recorded");
    const later = recordSpans();
    tracer.begin("second");
    expect(later.spans).toMatchObject([{ name: "second" }]);
    expect(recording.spans).toMatchObject([{ name: "first" }]);
  });
});

describe("with a tracer provider alone", () => {
  afterEach(() => setGlobalApi(undefined));

  it("starts spans without a parent, in contexts that keep their values", () => {
    const began: { readonly name: string; readonly kind: number; readonly context: GlobalContext }[] = [];
    const asked: unknown[] = [];
    const startSpan = (name: string, { kind }: GlobalSpanOptions, context: GlobalContext): never => {
      began.push({ name, kind, context });
      throw new Error("no span is expected here");
    };
    const getTracer = (...nameAndVersion: unknown[]) => {
      asked.push(nameAndVersion);
      return { startSpan };
    };
    setGlobalApi({ version: "1.10.0", trace: { getTracer } });
    const kinds = ["internal", "server", "client", "producer", "consumer"] as const;
    for (const kind of kinds) tracer.begin(kind, { kind });
    tracer.begin("internal", { parent: { traceparent: "a" } });
    expect(tracer.active).toBeUndefined();
    // Values of OpenTelemetry's SpanKind.
    expect(began.map(({ name, kind }) => [name, kind])).toEqual([
      ...kinds.map((kind, at) => [kind, at]),
      ["internal", 0],
    ]);
    expect(asked).toEqual([["@kubewright/test", "1.2.3"]]);
    const [one, other] = [Symbol("one"), Symbol("other")];
    const context = began[0]?.context ?? expect.unreachable();
    const both = context.setValue(one, 1).setValue(other, 2);
    expect([both.getValue(one), both.getValue(other), context.getValue(one)]).toEqual([1, 2, undefined]);
    expect([both.deleteValue(one).getValue(one), both.deleteValue(one).getValue(other)]).toEqual([undefined, 2]);
    expect(both.getValue(one)).toBe(1);
  });

  it("ignores a context whose span entry is not a span", () => {
    const held: unknown[] = [undefined, null, "span", {}, { spanContext: "no function" }];
    for (const value of held) {
      const context: GlobalContext = { getValue: () => value, setValue: () => context, deleteValue: () => context };
      const trace = { getTracer: () => expect.unreachable() };
      setGlobalApi({ version: "1.10.0", trace, context: { active: () => context, with: (_context, work) => work() } });
      expect([value, tracer.active]).toEqual([value, undefined]);
    }
  });
});

describe("with a tracer that fails", () => {
  afterEach(() => setGlobalApi(undefined));
  const fails = (): never => {
    throw new Error("the tracer failed");
  };

  it("behaves as without a provider", async () => {
    setGlobalApi({ version: "1.10.0", trace: { getTracer: fails } });
    expect(await tracer.within("a", {}, async () => "done")).toBe("done");
    const span = {
      spanContext: fails,
      setAttributes: fails,
      addEvent: fails,
      setStatus: fails,
      recordException: fails,
      end: fails,
    };
    setGlobalApi({ version: "1.10.0", trace: { getTracer: () => ({ startSpan: () => span }) } });
    expect(await tracer.within("a", {}, async (one) => one.context ?? "done")).toBe("done");
    await expect(tracer.within("a", {}, () => Promise.reject(new Error("as it was")))).rejects.toThrow("as it was");
  });
});
