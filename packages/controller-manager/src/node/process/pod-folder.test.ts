import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, expect, it } from "vitest";
import type { PodSources } from "../pod-sources.ts";
import { PodFolder } from "./pod-folder.ts";
import { podVolumes } from "./volume-files.ts";

const needs = { meta: { needs: "root" } };

const folders: PodFolder[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove();
});

function folderWith(volumes: object[], given: Partial<PodSources> = {}, group?: number) {
  const clock = new FakeClock();
  const pod = {
    metadata: { name: "p", namespace: "default", uid: "u", labels: { b: "2", a: 'say "1"' } },
    spec: { containers: [{ name: "main" }], volumes },
  } as unknown as Pod;
  const sources: PodSources = {
    secret: async () => undefined,
    configMap: async () => undefined,
    serviceAccountToken: async () => "token",
    ...given,
  };
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const addresses = { ip: "127.9.0.1", hostIp: "127.0.0.1" };
  const folder = new PodFolder({
    pod,
    volumes: podVolumes({ pod: () => pod, sources, clock, ...addresses }),
    clock,
    group,
    onError,
  });
  folders.push(folder);
  return { clock, folder, errors };
}
const data = (entries: Record<string, string>) =>
  new Map(Object.entries(entries).map(([key, text]) => [key, Buffer.from(text)]));

it("holds the pod's volumes, for its owner alone, until the pod is removed", async () => {
  const bytes = Buffer.from([0x1f, 0x8b, 0xff, 0x00]);
  const { folder } = folderWith(
    [
      { name: "bundle", secret: { secretName: "web-bundle", defaultMode: 0o400 } },
      { name: "etc", configMap: { name: "etc", items: [{ key: "a", path: "deep/a.yaml", mode: 0o640 }] } },
      { name: "scratch", emptyDir: {} },
      { name: "info", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    ],
    { secret: async () => new Map([["operator.mjs.gz", bytes]]), configMap: async () => data({ a: "A", b: "B" }) },
  );
  const path = await folder.prepare();
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const file = (name: string) => join(path, "volumes", name);
  expect(readFileSync(file("bundle/operator.mjs.gz"))).toEqual(bytes);
  expect(statSync(file("bundle/operator.mjs.gz")).mode & 0o777).toBe(0o400);
  expect(readFileSync(file("etc/deep/a.yaml"), "utf8")).toBe("A");
  expect(statSync(file("etc/deep/a.yaml")).mode & 0o777).toBe(0o640);
  expect(readdirSync(file("etc"))).toEqual(["deep"]);
  expect(readdirSync(file("scratch"))).toEqual([]);
  expect(readFileSync(file("info/labels"), "utf8")).toBe('a="say \\"1\\""\nb="2"');
  expect(await folder.prepare()).toBe(path);
  await folder.remove();
  expect(existsSync(path)).toBe(false);
});

it("waits for missing objects, and skips optional ones", async () => {
  let secret: ReadonlyMap<string, Buffer> | undefined;
  const { folder } = folderWith(
    [
      { name: "s", secret: { secretName: "late", items: [{ key: "k", path: "k" }] } },
      { name: "o", configMap: { name: "never", optional: true } },
    ],
    { secret: async () => secret },
  );
  await expect(folder.prepare()).rejects.toThrow('MountVolume.SetUp failed for volume "s" : secret "late" not found');
  secret = data({ other: "" });
  await expect(folder.prepare()).rejects.toThrow("references non-existent secret key: k");
  secret = data({ k: "v" });
  expect(readFileSync(join(await folder.prepare(), "volumes/s/k"), "utf8")).toBe("v");
});

it("updates volumes, and renews tokens before they expire", async () => {
  let config = data({ a: "1", b: "1" });
  let issued = 0;
  const wishes: unknown[] = [];
  const { folder, clock, errors } = folderWith(
    [
      { name: "etc", configMap: { name: "etc" } },
      {
        name: "access",
        projected: {
          sources: [
            { serviceAccountToken: { path: "token", expirationSeconds: 600, audience: "vault" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "a", path: "ca.crt" }] } },
            { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
          ],
        },
      },
    ],
    {
      configMap: async () => config,
      serviceAccountToken: async (wish) => {
        wishes.push(wish);
        return `token ${++issued}`;
      },
    },
  );
  const path = await folder.prepare();
  const read = (name: string): string => readFileSync(join(path, "volumes", name), "utf8");
  expect([read("access/token"), read("access/ca.crt"), read("access/namespace")]).toEqual(["token 1", "1", "default"]);
  expect(wishes).toEqual([{ audience: "vault", expirationSeconds: 600 }]);
  config = data({ a: "2" });
  await clock.advance(60_000);
  await expect.poll(() => read("etc/a")).toBe("2");
  await expect.poll(() => readdirSync(join(path, "volumes/etc"))).toEqual(["a"]);
  expect(read("access/token")).toBe("token 1");
  for (let minute = 2; minute <= 9; minute++) {
    await clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect
    .poll(async () => {
      await clock.advance(60_000);
      return read("access/token");
    })
    .toBe("token 2");
  expect(errors).toEqual([]);
});

it("reports unsupported volumes, and rejects paths that lead out", async () => {
  const claim = { name: "data", persistentVolumeClaim: { claimName: "c" } };
  await expect(folderWith([claim]).folder.prepare()).rejects.toThrow("and emptyDir, but not persistentVolumeClaim");
  const items = [{ key: "a", path: "../../../x" }];
  const out = folderWith([{ name: "c", configMap: { name: "c", items } }], { configMap: async () => data({ a: "" }) });
  await expect(out.folder.prepare()).rejects.toThrow("points outside its volume");
});

it.runIf(process.geteuid?.() === 0)(
  "lets the pod's group read its files, and write in their own folders",
  needs,
  async () => {
    const volumes = [
      { name: "etc", secret: { secretName: "s", items: [{ key: "a", path: "deep/a" }] } },
      { name: "run", secret: { secretName: "s", defaultMode: 0o500 } },
      { name: "open", secret: { secretName: "s", defaultMode: 0o666 } },
      { name: "scratch", emptyDir: {} },
    ];
    const { folder } = folderWith(volumes, { secret: async () => data({ a: "A" }) }, 4_242);
    const path = await folder.prepare();
    const modeOf = (name: string): string => {
      const { uid, gid, mode } = statSync(join(path, name));
      return `${uid} ${gid} ${(mode & 0o7777).toString(8)}`;
    };
    expect(
      Object.fromEntries(
        [
          "",
          "volumes",
          "volumes/etc",
          "volumes/etc/deep",
          "volumes/etc/deep/a",
          "volumes/run/a",
          "volumes/open/a",
          "volumes/scratch",
          "tmp",
        ].map((name) => [name, modeOf(name)]),
      ),
    ).toEqual({
      "": "0 4242 750",
      volumes: "0 4242 750",
      "volumes/etc": "0 4242 750",
      "volumes/etc/deep": "0 4242 750",
      "volumes/etc/deep/a": "0 4242 644",
      "volumes/run/a": "0 4242 550",
      "volumes/open/a": "0 4242 644",
      "volumes/scratch": "0 4242 2770",
      tmp: "0 4242 2770",
    });
  },
);

it("replaces whatever a process put in a file's place", async () => {
  const { folder, clock } = folderWith([{ name: "c", configMap: { name: "c" } }], {
    configMap: async () => data({ a: "A" }),
  });
  const path = await folder.prepare();
  const elsewhere = join(path, "tmp/elsewhere");
  writeFileSync(elsewhere, "A");
  rmSync(join(path, "volumes/c/a"));
  symlinkSync(elsewhere, join(path, "volumes/c/a"));
  await clock.advance(60_000);
  await expect.poll(() => lstatSync(join(path, "volumes/c/a")).isFile()).toBe(true);
  expect([readFileSync(join(path, "volumes/c/a"), "utf8"), readFileSync(elsewhere, "utf8")]).toEqual(["A", "A"]);
});
