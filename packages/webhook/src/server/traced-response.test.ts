import { Tracer } from "@kubewright/tracing";
import { recordSpans } from "@kubewright/tracing/testing";
import { expect, it } from "vitest";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { RunningServer } from "../testing/running-server.ts";
import { newServer } from "../webhook.ts";

const serving = (answer: Endpoint["answer"]): Promise<RunningServer> =>
  RunningServer.start([
    {
      endpoints: [{ path: "/validate-shop", purpose: "test", answer }],
      declarations: [],
      conversions: [],
      newServer,
    },
  ]);
const caller = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

it("creates a span for each call, as a child of the API server's span and a parent of the webhook's", async () => {
  using recording = recordSpans();
  const tracer = new Tracer("@kubewright/test");
  await using server = await serving(async () => {
    await tracer.within("look it up", {}, async () => {});
    return { status: 200, body: '{"secret":"hunter2"}' };
  });
  await server.post("/validate-shop?timeout=5s", { secret: "hunter2" }, { traceparent: caller });
  await server.post("/validate-shop", {}, {});
  const [first, child, second] = recording.spans;
  expect(first).toMatchObject({
    name: "webhook /validate-shop",
    kind: 1,
    parentSpanId: "b".repeat(16),
    hasEnded: true,
  });
  expect(first?.spanContext().traceId).toBe("a".repeat(32));
  expect(first?.attributes).toEqual({
    "http.request.method": "POST",
    "http.response.status_code": 200,
    "http.route": "/validate-shop",
    "url.path": "/validate-shop",
  });
  expect(child).toMatchObject({ name: "look it up", parentSpanId: first?.spanContext().spanId });
  expect(second).toMatchObject({ parentSpanId: undefined, status: { code: 0 } });
  expect(JSON.stringify(recording.spans)).not.toContain("hunter2");
});

it.each([
  ["that is too long", `${caller}-${"c".repeat(600)}`],
  ["an invalid one", "nonsense"],
])("starts a new trace for %s", async (_what, traceparent) => {
  using recording = recordSpans();
  await using server = await serving(async () => ({ status: 200, body: "" }));
  await server.post("/validate-shop", {}, { traceparent });
  expect(recording.spans).toMatchObject([{ parentSpanId: undefined }]);
});

it("marks spans of endpoints that fail or answer with an error", async () => {
  using recording = recordSpans();
  let calls = 0;
  await using server = await serving(async () => {
    if (calls++ === 0) return { status: 500, body: "" };
    throw new Error("no answer");
  });
  await server.post("/validate-shop", {}, {});
  await expect(server.post("/validate-shop", {}, {})).rejects.toThrow("socket hang up");
  expect(recording.spans).toMatchObject([
    { attributes: { "http.response.status_code": 500 }, status: { code: 2, message: "responded with status 500" } },
    { status: { code: 2, message: "no answer" }, hasEnded: true },
  ]);
});
