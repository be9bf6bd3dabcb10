import { describe, expect, it } from "vitest";
import { serviceResolver } from "./service-resolver.ts";

const object = (name: string, rest: object) => ({ apiVersion: "v1", kind: "X", metadata: { name }, ...rest });
const service = object("hook", { spec: { ports: [{ name: "https", port: 443 }] } });
const slice = (addresses: readonly string[], ready?: boolean) => ({
  ...object("hook-1", { ports: [{ name: "https", port: 8443 }], endpoints: [{ addresses, conditions: { ready } }] }),
  metadata: { name: "hook-1", labels: { "kubernetes.io/service-name": "hook" } },
});

const resolverOf = (parts: {
  service?: object;
  slices?: readonly object[];
  endpoints?: object;
  pods?: readonly object[];
}) =>
  serviceResolver({
    service: async () => parts.service as never,
    endpoints: async () => parts.endpoints as never,
    endpointSlices: async () => (parts.slices ?? []) as never,
    pods: async () => (parts.pods ?? []) as never,
  });

describe("a webhook's service is found", () => {
  it("at a ready address of its slices, with its target port", async () => {
    const resolve = resolverOf({ service, slices: [slice(["10.0.0.1"], false), slice(["10.0.0.2"])] });
    expect(await resolve("default", "hook", 443)).toEqual({ host: "10.0.0.2", port: 8443 });
  });

  it("at its endpoints if there are no slices", async () => {
    const subsets = [{ addresses: [{ ip: "10.0.0.3" }], ports: [{ name: "https", port: 9443 }] }];
    const resolve = resolverOf({ service, endpoints: object("hook", { subsets }) });
    expect(await resolve("default", "hook", 443)).toEqual({ host: "10.0.0.3", port: 9443 });
  });

  it("at a ready loopback pod that it selects, which endpoints cannot contain", async () => {
    const spec = { ports: [{ port: 443, targetPort: "hooks" }], selector: { app: "shop" } };
    const pod = (podIP: string, status: string, app = "shop") => ({
      metadata: { name: podIP, labels: { app } },
      spec: { containers: [{ ports: [{ name: "hooks", containerPort: 9443 }] }] },
      status: { podIP, conditions: [{ type: "Ready", status }] },
    });
    const pods = [pod("127.1.0.1", "False"), pod("127.1.0.2", "True", "other"), pod("10.0.0.1", "True")];
    const selecting = object("hook", { spec });
    const found = resolverOf({ service: selecting, pods: [...pods, pod("127.1.0.3", "True")] });
    expect(await found("default", "hook", 443)).toEqual({ host: "127.1.0.3", port: 9443 });
    await expect(resolverOf({ service: selecting, pods })("default", "hook", 443)).rejects.toThrow("no endpoints");

    const one = pod("127.1.0.4", "True");
    const terminating = { ...one, metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const replaced = resolverOf({ service: selecting, pods: [terminating, pod("127.1.0.5", "True")] });
    expect(await replaced("default", "hook", 443)).toEqual({ host: "127.1.0.5", port: 9443 });
    const last = resolverOf({ service: selecting, pods: [...pods, terminating] });
    expect(await last("default", "hook", 443)).toEqual({ host: "127.1.0.4", port: 9443 });
  });

  it("at its external name", async () => {
    const external = object("hook", { spec: { type: "ExternalName", externalName: "localhost" } });
    expect(await resolverOf({ service: external })("default", "hook", 8443)).toEqual({ host: "localhost", port: 8443 });
  });
});

describe("a webhook's service is not found if", () => {
  it.each([
    ["it is not there", {}, 443, 'service "hook" not found'],
    ["it has no such port", { service }, 80, 'no service port 80 found for service "hook"'],
    ["nothing stands behind it", { service }, 443, 'no endpoints available for service "hook"'],
  ])("%s", async (_why, parts, port, expected) => {
    await expect(resolverOf(parts)("default", "hook", port)).rejects.toThrow(expected);
  });
});
