import { expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";

it("publishes an advertised address in the endpoints of Service kubernetes", async () => {
  await using server = await ApiServer.start({ tls: false, advertiseAddress: "192.0.2.1" });
  const api = new ApiClient(server);
  const ports = [{ name: "https", port: server.port, protocol: "TCP" }];
  expect((await api.get(endpoints)).body.subsets).toEqual([{ addresses: [{ ip: "192.0.2.1" }], ports }]);
  expect((await api.get(slices)).body).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
    ports,
  });
  api.close();
});

it("starts without endpoints if they may not contain its address", async () => {
  await using server = await ApiServer.start({ tls: false, advertiseAddress: "127.0.0.1" });
  const api = new ApiClient(server);
  expect((await api.get(endpoints)).status).toBe(404);
  api.close();
});
