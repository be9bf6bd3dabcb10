import { Tracer } from "@kubewright/tracing";
import { recordSpans } from "@kubewright/tracing/testing";
import { describe, expect, it } from "vitest";
import { startController as start } from "./testing/start-controller.ts";

const tracer = new Tracer("@kubewright/test");
const cause = { source: "Deployment.apps", type: "update", key: "web/shop", resourceVersion: "71" } as const;

describe("the trace of a reconcile", () => {
  it("contains the request, its causes and the result; spans of the reconciler are its children", async () => {
    using recording = recordSpans();
    let reconcileID = "";
    const { clock, stop, run, add } = start({
      reconcile: async (_request, context) => {
        reconcileID = context.reconcileID;
        await Promise.resolve();
        await tracer.within("look it up", {}, async () => {});
        return { requeueAfterMs: 60_000 };
      },
    });
    await clock.advance(0);
    add("web/shop", { cause });
    await clock.advance(0);
    stop.abort();
    await run;
    const [span, child] = recording.spans;
    expect(span).toMatchObject({ name: "reconcile", tracer: "@kubewright/controller", kind: 0, hasEnded: true });
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.attributes).toEqual({
      "k8s.namespace.name": "web",
      "kubewright.controller": "test",
      "kubewright.object.name": "shop",
      "kubewright.reconcile.id": reconcileID,
      "kubewright.reconcile.result": "requeue_after",
      "kubewright.reconcile.retries": 0,
    });
    expect(span?.events).toEqual([
      {
        name: "cause",
        attributes: {
          "kubewright.cause.source": "Deployment.apps",
          "kubewright.cause.type": "update",
          "kubewright.cause.key": "web/shop",
          "kubewright.cause.resource_version": "71",
        },
      },
    ]);
    expect(span?.links).toEqual([]); // not written by this process
    expect(child).toMatchObject({ name: "look it up", parentSpanId: span?.spanContext().spanId });
  });

  it("contains an error, and the number of retries", async () => {
    using recording = recordSpans();
    let tries = 0;
    const { clock, stop, run, add } = start({
      reconcile: async () => {
        if (tries++ === 0) throw new Error("not yet");
      },
    });
    await clock.advance(0);
    add("shop");
    await clock.advance(0);
    await clock.advance(5);
    stop.abort();
    await run;
    expect(recording.spans).toMatchObject([
      {
        attributes: { "kubewright.reconcile.result": "error", "error.type": "Error" },
        status: { code: 2, message: "not yet" },
        exceptions: [{ message: "not yet" }],
        hasEnded: true,
      },
      {
        attributes: { "kubewright.reconcile.result": "success", "kubewright.reconcile.retries": 1 },
        status: { code: 0 },
        hasEnded: true,
      },
    ]);
    expect(recording.spans[1]?.attributes).not.toHaveProperty("k8s.namespace.name");
  });
});
