import { expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { isSwitchedOn } from "./runtime-config.ts";
import { ApiClient } from "./testing/api-client.ts";

const deployments = { group: "apps", version: "v1", resource: "deployments" };
const pods = { group: "", version: "v1", resource: "pods" };

it("a setting for a resource overrides its version, its stage and all", () => {
  expect(isSwitchedOn(deployments, {})).toBe(true);
  expect(isSwitchedOn(deployments, { "apps/v1": false })).toBe(false);
  expect(isSwitchedOn(deployments, { "api/all": false })).toBe(false);
  expect(isSwitchedOn(pods, { "api/all": false, v1: true })).toBe(true);
  expect(isSwitchedOn(deployments, { "api/ga": true, "api/all": false })).toBe(true);
  expect(isSwitchedOn(deployments, { "apps/v1/deployments": true, "apps/v1": false })).toBe(true);
  expect(isSwitchedOn(deployments, { "api/beta": false })).toBe(true);
});

it("disabled resources are not served, nor in discovery", async () => {
  const server = await ApiServer.start({ tls: false, runtimeConfig: { "apps/v1": false, "v1/limitranges": false } });
  const api = new ApiClient(server);
  expect((await api.get("/apis/apps/v1/deployments")).status).toBe(404);
  const groups = (await api.get("/apis")).body.groups.map(({ name }: { name: string }) => name);
  expect(groups).not.toContain("apps");
  expect(groups).toContain("batch");
  const names = (await api.get("/api/v1")).body.resources.map(({ name }: { name: string }) => name);
  expect(names).not.toContain("limitranges");
  expect(names).toContain("pods");
  api.close();
  await server.stop();
});
