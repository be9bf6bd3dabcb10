import type { KubeObject } from "@kubewright/apimachinery";
import { systemRandom } from "@kubewright/clock";
import { expect, it } from "vitest";
import { builtinStrategies } from "../index-of-kinds.ts";

const context = { user: { name: "u", groups: [] }, nowMs: 0, namespace: "default", dryRun: false };
const probe = { httpGet: { port: 80, protocol: "HTTP2" }, grpc: { port: 80, mode: "x" } };
const source = { name: "s", defaultUser: 1, items: [{ key: "k", path: "p", user: 1 }] };
const container = {
  name: "c",
  volumeMounts: [{ name: "v", mountPath: "/v", bindMountOptions: ["x"] }],
  lifecycle: { postStart: probe },
  livenessProbe: probe,
};
const spec = {
  evictionResponders: [{ name: "r" }],
  containers: [container],
  volumes: [
    { name: "v", emptyDir: { mode: "0700" } },
    { name: "w", projected: { defaultUser: 1, sources: [{ secret: source }, { serviceAccountToken: { user: 1 } }] } },
    { name: "x", configMap: source },
  ],
};
const kept = { name: "s", items: [{ key: "k", path: "p" }] };
const withoutProtocol = { httpGet: { port: 80 }, grpc: { port: 80 } };
const expected = {
  containers: [
    {
      ...{ name: "c", volumeMounts: [{ name: "v", mountPath: "/v" }] },
      ...{ lifecycle: { postStart: withoutProtocol }, livenessProbe: withoutProtocol },
    },
  ],
  volumes: [
    { name: "v", emptyDir: {} },
    { name: "w", projected: { sources: [{ secret: kept }, { serviceAccountToken: {} }] } },
    { name: "x", configMap: kept },
  ],
};

it.each([
  ["Pod", { spec }, { spec: expected }],
  ["Deployment.apps", { spec: { template: { spec } } }, { spec: { template: { spec: expected } } }],
  [
    "CronJob.batch",
    { spec: { jobTemplate: { spec: { scheduling: {}, template: { spec } } } } },
    { spec: { jobTemplate: { spec: { template: { spec: expected } } } } },
  ],
  ["PodTemplate", { template: { spec } }, { template: { spec: expected } }],
])("a %s loses the fields of disabled features, whenever it is written", (kind, fields, left) => {
  const strategy = builtinStrategies[kind];
  const made = (): KubeObject =>
    structuredClone({ apiVersion: "v1", kind, metadata: { name: "a" }, ...fields }) as KubeObject;
  const [created, updated] = [made(), made()];
  strategy?.prepareForCreate?.(created, context, systemRandom);
  strategy?.prepareForUpdate?.(updated, made(), context);
  expect(created).toMatchObject(left);
  for (const name of [
    "evictionResponders",
    "defaultUser",
    "bindMountOptions",
    "mode",
    "protocol",
    "scheduling",
    '"user"',
  ])
    for (const object of [created, updated]) expect(JSON.stringify(object)).not.toContain(name);
});
