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
