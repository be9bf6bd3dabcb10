import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const versioned = (name: string) => ({ metadata: { name, resourceVersion: "12" }, data: { a: "b" } });

it("a resource version on create is rejected only if the object would be written", async () => {
  await using server = await ApiServer.start({ tls: false });
  const api = new ApiClient(server);
  expect((await api.post(configMaps, versioned("a"))).body).toMatchObject({
    code: 500,
    message: "resourceVersion should not be set on objects to be created",
  });
  expect((await api.post(`${configMaps}?dryRun=All`, versioned("a"))).status).toBe(201);
  expect((await api.post(configMaps, versioned("Not A Name"))).body.reason).toBe("Invalid");
  expect((await api.get(`${configMaps}/a`)).status).toBe(404);
  api.close();
});

it("adds the current time to the taints of devices, on create and on update", async () => {
  await using server = await ApiServer.start({ tls: false, clock: new FakeClock(Date.UTC(2026, 0, 1)) });
  const api = new ApiClient(server);
  const taint = (key: string) => ({ key, effect: "NoExecute" });
  const sliceWith = (taints: object[]) => ({
    metadata: { name: "slice" },
    spec: {
      driver: "gpu.example.com",
      nodeName: "a",
      pool: { name: "a", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "gpu", taints }],
    },
  });
  const path = "/apis/resource.k8s.io/v1/resourceslices";
  const timeAdded = "2026-01-01T00:00:00Z";
  const created = await api.post(path, sliceWith([taint("a.com/x")]));
  expect(created.body.spec.devices[0].taints).toEqual([{ ...taint("a.com/x"), timeAdded }]);
  const updated = await api.put(`${path}/slice`, { ...created.body, spec: sliceWith([taint("a.com/y")]).spec });
  expect(updated.body.spec.devices[0].taints).toEqual([{ ...taint("a.com/y"), timeAdded }]);
  api.close();
});
