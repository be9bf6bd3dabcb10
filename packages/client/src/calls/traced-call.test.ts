import { recordSpans } from "@kubewright/tracing/testing";
import { expect, it } from "vitest";
import { ConfigMap, Deployment, Namespace, Pod, Secret } from "../kinds/index.ts";
import { configMap, stubbed } from "./testing/stubbed-client.ts";
import { spanOfWrite } from "./traced-call.ts";

it("makes a span for each call, with its object and server", async () => {
  using recording = recordSpans();
  await using stub = await stubbed(() => ({ body: { ...configMap, items: [] } }));
  const { client } = stub;
  await client.get(Deployment, "web/shop");
  await client.list(Pod, { namespace: "web", labels: { app: "secret" } });
  await client.patch(ConfigMap, "web/a", { data: { key: "hunter2" } });
  await client.get(Namespace, "web");
  await client.delete(Secret, "web/token");

  expect(recording.spans.map(({ name, kind, hasEnded }) => [name, kind, hasEnded])).toEqual(
    ["get Deployment", "list Pod", "patch ConfigMap", "get Namespace", "delete Secret"].map((what) => [
      `client ${what}`,
      2,
      true,
    ]),
  );
  const { hostname, port, origin } = new URL(stub.api.url);
  expect(recording.spans[0]?.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "k8s.deployment.name": "shop",
    "k8s.namespace.name": "web",
    "kubewright.client.verb": "get",
    "kubewright.object.group": "apps",
    "kubewright.object.kind": "Deployment",
    "kubewright.object.name": "shop",
    "server.address": hostname,
    "server.port": Number(port),
    "url.full": `${origin}/apis/apps/v1/namespaces/web/deployments/shop`,
  });
  expect(recording.spans[3]?.attributes).toMatchObject({ "k8s.namespace.name": "web" });
  expect(JSON.stringify(recording.spans)).not.toMatch(/hunter2|app=secret|app%3Dsecret/);
});

it("records refused calls, and calls without a response", async () => {
  using recording = recordSpans();
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, reason: "Conflict", message: "no", code: 409 };
  await using stub = await stubbed(() => ({ status: 409, body: status }));
  await expect(stub.client.get(ConfigMap, "web/a")).rejects.toThrow("no");
  await stub.api[Symbol.asyncDispose]();
  await expect(stub.client.update(ConfigMap, configMap)).rejects.toThrow("update ConfigMap");
  expect(recording.spans).toMatchObject([
    {
      attributes: { "http.response.status_code": 409, "error.type": "StatusError" },
      status: { code: 2, message: "no" },
    },
    { name: "client update ConfigMap", attributes: { "error.type": "ConnectionError" }, hasEnded: true },
  ]);
  expect(recording.spans[1]?.attributes).not.toHaveProperty("http.response.status_code");
}, 60_000);

it("ends the span of a watch when the watch begins", async () => {
  using recording = recordSpans();
  const event = `${JSON.stringify({ type: "ADDED", object: configMap })}\n`;
  await using stub = await stubbed(() => (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(event);
  });
  for await (const _ of stub.client.watch(ConfigMap, { namespace: "web" })) break;
  expect(recording.spans).toMatchObject([
    {
      name: "client watch ConfigMap",
      attributes: { "http.response.status_code": 200 },
      status: { code: 0 },
      hasEnded: true,
    },
  ]);
});

it("returns the span that first wrote an object in a version, and none for reads", async () => {
  using recording = recordSpans();
  const written = { ...configMap, metadata: { ...configMap.metadata, resourceVersion: "70" } };
  await using stub = await stubbed(() => ({ body: written }));
  await stub.client.get(ConfigMap, "web/a");
  expect(spanOfWrite("ConfigMap", "web/a", "70")).toBeUndefined();
  await stub.client.patch(ConfigMap, "web/a", { data: { key: "value" } });
  await stub.client.patch(ConfigMap, "web/a", {}); // changes nothing, so the version stays
  expect(spanOfWrite("ConfigMap", "web/a", "70")).toEqual(recording.spans[1]?.spanContext());
  expect(spanOfWrite("ConfigMap", "web/a", "71")).toBeUndefined();
  expect(spanOfWrite("ConfigMap", "web/b", "70")).toBeUndefined();
  expect(spanOfWrite("Secret", "web/a", "70")).toBeUndefined();
});

it("sends no trace headers: they belong to the HTTP instrumentation, and must not be sent twice", async () => {
  using _recording = recordSpans();
  await using stub = await stubbed();
  await stub.client.get(ConfigMap, "web/a");
  expect(stub.last()?.headers).not.toHaveProperty("traceparent");
});
