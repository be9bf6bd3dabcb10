import type { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { PodSources } from "../pod-sources.ts";
import { podVolumes } from "./volume-files.ts";

const sources: PodSources = {
  secret: async () => new Map([["key", Buffer.from("value")]]),
  configMap: async () => new Map([["large", Buffer.alloc(1_000_000)]]),
  serviceAccountToken: async () => "token",
};
const podWith = (volumes: object[], spec: object = {}) =>
  ({
    metadata: { name: "p", namespace: "default", labels: { version: "1" } },
    spec: { containers: [{ name: "main" }], volumes, ...spec },
  }) as unknown as Pod;
const volumesOf = (pod: () => Pod, given: Partial<PodSources> = {}) =>
  podVolumes({ pod, sources: { ...sources, ...given }, clock: new FakeClock(), ip: "127.9.0.1", hostIp: "127.0.0.1" });

async function modes(spec: object): Promise<Record<string, string>> {
  const projected = { sources: [{ serviceAccountToken: { path: "token" } }, { secret: { name: "s" } }] };
  const volumes = [
    { name: "v", projected },
    { name: "closed", secret: { secretName: "s", defaultMode: 0o400 } },
  ];
  const all = await volumesOf(() => podWith(volumes, spec)).read();
  return Object.fromEntries(
    [...all].flatMap(([name, files]) => [...files].map(([path, { mode }]) => [`${name}/${path}`, mode.toString(8)])),
  );
}

it("lets the fsGroup read files, and gives a token to the pod's only user", async () => {
  expect(await modes({})).toEqual({ "v/token": "644", "v/key": "644", "closed/key": "400" });
  const securityContext = { runAsUser: 1_000 };
  expect(await modes({ securityContext })).toEqual({ "v/token": "600", "v/key": "644", "closed/key": "400" });
  const other = { name: "other", securityContext: { runAsUser: 2_000 } };
  expect(await modes({ securityContext, containers: [{ name: "main" }, other] })).toMatchObject({ "v/token": "644" });
  expect(await modes({ securityContext: { fsGroup: 5 } })).toEqual({
    "v/token": "640",
    "v/key": "644",
    "closed/key": "440",
  });
});

it("reads the pod's current labels", async () => {
  const items = [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }];
  let pod = podWith([{ name: "info", downwardAPI: { items } }]);
  const volumes = volumesOf(() => pod);
  const read = async () => (await volumes.read()).get("info")?.get("labels")?.content.toString();
  expect(await read()).toBe('version="1"');
  pod = { ...pod, metadata: { ...pod.metadata, labels: { version: "2" } } };
  expect(await read()).toBe('version="2"');
});

it.each(["../x", "/etc/passwd", "a/../..", ".", ".."])("rejects the path %s", async (path) => {
  const items = [{ key: "key", path }];
  const volumes = volumesOf(() => podWith([{ name: "v", secret: { secretName: "s", items } }]));
  await expect(volumes.read()).rejects.toThrow(`for volume "v" : path "${path}" points outside its volume`);
});

it("normalizes paths, so that a later source replaces the same file", async () => {
  const item = (path: string) => ({ secret: { name: "s", items: [{ key: "key", path }] } });
  const volumes = volumesOf(() => podWith([{ name: "v", projected: { sources: [item("a//b"), item("./a/b")] } }]));
  expect([...((await volumes.read()).get("v")?.keys() ?? [])]).toEqual(["a/b"]);
});

it("rejects volumes with too many bytes or files", async () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `v${i}`, configMap: { name: "c" } }));
  expect((await volumesOf(() => podWith(named(67))).read()).size).toBe(67);
  const tooMany = "the volumes contain more than 10000 files or 67108864 bytes";
  await expect(volumesOf(() => podWith(named(68))).read()).rejects.toThrow(tooMany);
  const configMap = async () => new Map(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, Buffer.alloc(0)]));
  expect((await volumesOf(() => podWith(named(2)), { configMap }).read()).size).toBe(2);
  await expect(volumesOf(() => podWith(named(3)), { configMap }).read()).rejects.toThrow(tooMany);
});
