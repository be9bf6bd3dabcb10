import { expect, test, vi } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

test("counts requests, watches and objects under kube-apiserver's names", async () => {
  await using server = await ApiServer.start({ tls: false });
  const api = new ApiClient(server);
  const configMaps = "/api/v1/namespaces/default/configmaps";
  await api.post(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
  await api.get(`${configMaps}/a`);
  await api.get(`${configMaps}/b`);
  await api.get("/no/such/path");
  // a request is counted after its response was sent, and the client may receive the response first
  const { status, text, headers } = await vi.waitFor(async () => {
    const answer = await api.get("/metrics");
    expect(answer.text).toMatch(/^apiserver_request_total.*subresource="other".*code="404"} 1$/m);
    return answer;
  });
  api.close();
  expect(status).toBe(200);
  expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  const labels = 'dry_run="",group="",version="v1",resource="configmaps",subresource=""';
  expect(text.split("\n")).toEqual(
    expect.arrayContaining([
      `apiserver_request_total{verb="POST",${labels},scope="namespace",component="apiserver",code="201"} 1`,
      `apiserver_request_total{verb="GET",${labels},scope="resource",component="apiserver",code="200"} 1`,
      `apiserver_request_total{verb="GET",${labels},scope="resource",component="apiserver",code="404"} 1`,
      `apiserver_request_duration_seconds_count{verb="GET",${labels},scope="resource",component="apiserver"} 2`,
      'apiserver_resource_objects{group="",resource="configmaps"} 2',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
      "apiserver_validation_declarative_validation_mismatch_total 0",
      "apiserver_validation_declarative_validation_panic_total 0",
    ]),
  );
  expect(text).toMatch(/apiserver_request_duration_seconds_bucket\{.*le="0\.005"/);
  expect(text).toMatch(/^process_resident_memory_bytes /m);
});

test("metrics require permission to read the path", async () => {
  await using server = await ApiServer.start({ tls: false, authorization: ["RBAC"], users: [{ name: "bob" }] });
  const api = new ApiClient(server, "bob");
  expect((await api.get("/metrics")).status).toBe(403);
  api.close();
});
