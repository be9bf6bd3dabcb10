import { type Responder, TestWebhookServer } from "@kubewright/apiserver/testing";
import { systemClock } from "@kubewright/clock";
import { expect, it } from "vitest";
import { fetchDiscovery } from "../discovery/fetch-discovery.ts";
import { type RemoteApiService, readApiService } from "../service/api-service.ts";
import { ExtensionEnd } from "../transport/extension-end.ts";
import { fetchDocuments } from "./fetch-documents.ts";

const version = { group: "g.io", version: "v1" };
const { signal } = new AbortController();
const documents = (end: ExtensionEnd) => fetchDocuments(end, version, { clock: systemClock, signal });
const discovery = (end: ExtensionEnd) => fetchDiscovery(end, version, systemClock, signal);
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async function endFor(answers: Readonly<Record<string, Responder>>) {
  const server = await TestWebhookServer.start(answers, ["b.a.svc"]);
  const apiService = readApiService({
    ...{ apiVersion: "v1", kind: "APIService", metadata: { name: "v1.g.io" } },
    spec: { ...version, caBundle: server.caBundle, service: { namespace: "a", name: "b" } },
  }) as RemoteApiService;
  const end = new ExtensionEnd(apiService, async () => ({ host: "127.0.0.1", port: server.port }), undefined);
  const close = async (): Promise<void> => {
    end.close();
    await server[Symbol.asyncDispose]();
  };
  return { end, [Symbol.asyncDispose]: close };
}

const empty: Responder = () => ({ code: 404, body: "" });

it.each([
  ["/openapi/v3", 1, "{}", documents],
  ["/openapi/v2", 16, '{"paths":{}}', documents],
  ["/apis", 4, '{"kind":"APIGroupDiscoveryList"}', discovery],
])("accepts %s up to %i MiB", async (path, mebibytes, text, fetch) => {
  let size = mebibytes * 1024 * 1024;
  const answer: Responder = () => ({ body: text.padEnd(size), contentType: aggregated });
  await using there = await endFor({ "/openapi/v3": empty, "/openapi/v2": empty, [path]: answer });
  await expect(fetch(there.end)).resolves.toBeDefined();
  size++;
  await expect(fetch(there.end)).rejects.toThrow();
});

it.each([
  ["/openapi/v3", 100_000, '{"paths":{}', documents],
  ["/openapi/v2", 1_000_000, '{"paths":{}', documents],
  ["/apis", 500_000, '{"kind":"APIGroupDiscoveryList"', discovery],
])("accepts %s up to %i values", async (path, values, text, fetch) => {
  let count = values - 5;
  const answer: Responder = () => ({ body: `${text},"x":[0${",0".repeat(count)}]}`, contentType: aggregated });
  await using there = await endFor({ "/openapi/v3": empty, "/openapi/v2": empty, [path]: answer });
  await expect(fetch(there.end)).resolves.toBeDefined();
  count = values;
  await expect(fetch(there.end)).rejects.toThrow(`the response contains more than ${values} values`);
});
