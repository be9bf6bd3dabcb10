import type { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import type { PodSources } from "../pod-sources.ts";
import type { Container } from "./downward-values.ts";
import { processEnv } from "./process-env.ts";

const sources: PodSources = {
  secret: async (name) => (name === "s" ? new Map([["password", Buffer.from("geheim")]]) : undefined),
  configMap: async (name) =>
    name === "c"
      ? new Map([
          ["mode", Buffer.from("fast")],
          ["level", Buffer.from("1")],
        ])
      : undefined,
  serviceAccountToken: async () => "token",
};

async function env(container: Partial<Container>): Promise<Record<string, string>> {
  const main = { name: "main", ...container } as Container;
  const pod = {
    metadata: { name: "web-1", namespace: "shop", uid: "u", labels: { app: "web" }, annotations: { a: "b" } },
    spec: { containers: [main], nodeName: "node", serviceAccountName: "robot" },
  } as unknown as Pod;
  return Object.fromEntries(await processEnv({ pod, container: main, ip: "127.9.0.1", hostIp: "127.0.0.1", sources }));
}
const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

describe("the variables of a process", () => {
  it("are its own, and may use preceding ones", async () => {
    const variables = [
      { name: "HOST", value: "h" },
      { name: "URL", value: "http://$(HOST):$(PORT)$$(HOST)" },
      { name: "PORT", value: "80" },
    ];
    expect(await env({ env: variables })).toEqual({ HOST: "h", URL: "http://h:$(PORT)$(HOST)", PORT: "80" });
  });

  it("contain fields of the pod", async () => {
    const variables = [
      field("NAME", "metadata.name"),
      field("NAMESPACE", "metadata.namespace"),
      field("APP", "metadata.labels['app']"),
      field("NONE", "metadata.annotations['none']"),
      field("ACCOUNT", "spec.serviceAccountName"),
      field("IP", "status.podIP"),
      field("HOST_IP", "status.hostIP"),
    ];
    expect(await env({ env: variables })).toEqual({
      NAME: "web-1",
      NAMESPACE: "shop",
      APP: "web",
      NONE: "",
      ACCOUNT: "robot",
      IP: "127.9.0.1",
      HOST_IP: "127.0.0.1",
    });
    await expect(env({ env: [field("X", "spec.containers")] })).rejects.toThrow(
      "unsupported fieldPath: spec.containers",
    );
  });

  it("contain its resources, rounded up; the node's without a limit", async () => {
    const resource = (name: string, resource: string, divisor?: string) => ({
      name,
      valueFrom: { resourceFieldRef: { resource, ...(divisor ? { divisor } : {}) } },
    });
    const variables = [
      resource("CPU", "limits.cpu"),
      resource("MILLI", "limits.cpu", "1m"),
      resource("MI", "limits.memory", "1Mi"),
      resource("ASKED", "requests.memory"),
    ];
    const resources = { limits: { cpu: "1500m" } };
    const expected = { CPU: "2", MILLI: "1500", MI: "262144", ASKED: "0" };
    expect(await env({ env: variables as never, resources: resources as never })).toEqual(expected);
  });

  it("come from Secrets and ConfigMaps, by key or as a whole, and later ones win", async () => {
    const envFrom = [{ configMapRef: { name: "c" }, prefix: "C_" }, { secretRef: { name: "none", optional: true } }];
    const variables = [
      { name: "C_level", value: "2" },
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "s", key: "password" } } },
      { name: "MODE", valueFrom: { configMapKeyRef: { name: "c", key: "mode" } } },
      { name: "NONE", valueFrom: { configMapKeyRef: { name: "c", key: "none", optional: true } } },
    ];
    const expected = { C_mode: "fast", C_level: "2", PASSWORD: "geheim", MODE: "fast" };
    expect(await env({ envFrom, env: variables })).toEqual(expected);
  });

  it.each([
    [{ secretKeyRef: { name: "x", key: "k" } }, 'secret "x" not found'],
    [{ configMapKeyRef: { name: "x", key: "k" } }, 'configmap "x" not found'],
    [{ secretKeyRef: { name: "s", key: "k" } }, "couldn't find key k in Secret shop/s"],
    [{ configMapKeyRef: { name: "c", key: "k" } }, "couldn't find key k in ConfigMap shop/c"],
  ])("fail for missing sources: %j", async (valueFrom, message) => {
    await expect(env({ env: [{ name: "V", valueFrom }] })).rejects.toThrow(message);
  });

  it("are limited in length", async () => {
    const doubled = Array.from({ length: 40 }, (_, i) => ({ name: `V${i + 1}`, value: `$(V${i})$(V${i})` }));
    await expect(env({ env: [{ name: "V0", value: "ab" }, ...doubled] })).rejects.toThrow(
      "env: the variables are longer than 2097152 characters in total",
    );
  });
});
