import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { ApiException, KubeConfig, type KubernetesObject } from "@kubernetes/client-node";
import { processImage, startControlPlane, stockNodeImage } from "@kubewright/controller-manager";
import { Environment } from "@kubewright/envtest";
import { Client, isConflict, isNotFound, type KubeObject } from "kubewright";
import { ConfigMap, CustomResourceDefinition, Deployment, Namespace, Pod } from "kubewright/kinds";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as theirs from "./client-node.ts";
import * as ours from "./kubewright.ts";

const folder = mkdtempSync(join(tmpdir(), "scripts-"));
const kubeconfig = join(folder, "kubeconfig");
const config = new KubeConfig();
let env: Environment;
let client: Client;
let stop: AbortController;

beforeAll(async () => {
  env = await Environment.start();
  writeFileSync(kubeconfig, env.kubeconfig());
  config.loadFromString(env.kubeconfig());
  client = new Client({ connection: env.connection(), fieldOwner: "script" });
  for (const name of ["theirs", "ours"]) await client.create(Namespace, { metadata: { name } });
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.create(CustomResourceDefinition, {
    metadata: { name: "sites.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "sites", kind: "Site" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
});
beforeEach(() => {
  stop = new AbortController();
  return async () => {
    stop.abort();
    await env.faults.clear();
  };
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
  rmSync(folder, { recursive: true });
});

const podSpec = { containers: [{ name: "main", image: "example/web:1" }] };
const createPod = (namespace: string, name: string, app: string) =>
  client.create(Pod, { metadata: { namespace, name, labels: { app } }, spec: { ...podSpec, nodeName: "north" } });
const createDeployment = (namespace: string, name: string) =>
  client.create(Deployment, {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: podSpec },
    },
  });
const createConfigMap = (namespace: string, name: string) =>
  client.create(ConfigMap, { metadata: { namespace, name } });

/** Returns what a user set in an object: everything that both clients must have written in the same way. */
const setIn = (object: KubernetesObject | KubeObject): unknown => {
  const { metadata, apiVersion, kind, ...rest } = JSON.parse(JSON.stringify(object));
  return { ...rest, name: metadata.name, labels: metadata.labels };
};

describe("the same call with both clients", () => {
  it("connects to the cluster of KUBECONFIG", async () => {
    vi.stubEnv("KUBECONFIG", kubeconfig);
    await using connected = ours.connect();
    expect(connected.connection.settings.server).toBe(theirs.connect().getCurrentCluster()?.server);
    expect(await ours.podNames(connected, "kube-system")).toEqual([]);
    vi.unstubAllEnvs();
  });

  it("lists a namespace, counts in pages, and selects by labels and node", async () => {
    await createPod("theirs", "web-0", "web");
    await createPod("theirs", "web-1", "web");
    await createPod("ours", "db-0", "db");
    await createPod("ours", "other", "other");
    expect(await theirs.podNames(config, "theirs")).toEqual(["web-0", "web-1"]);
    expect(await ours.podNames(client, "theirs")).toEqual(["web-0", "web-1"]);
    expect([await theirs.countPods(config), await ours.countPods(client)]).toEqual([4, 4]);
    expect(await theirs.podsOnNode(config, "north")).toEqual(["db-0", "web-0", "web-1"]);
    expect(await ours.podsOnNode(client, "north")).toEqual(["db-0", "web-0", "web-1"]);
    expect([await theirs.podsOnNode(config, "south"), await ours.podsOnNode(client, "south")]).toEqual([[], []]);
  });

  it("gets an object, or undefined", async () => {
    const [one, same] = [await theirs.findPod(config, "ours", "db-0"), await ours.findPod(client, "ours", "db-0")];
    expect(JSON.parse(JSON.stringify(one))).toMatchObject({
      ...same,
      metadata: { ...same?.metadata, creationTimestamp: expect.anything(), managedFields: expect.anything() },
    });
    expect(one?.metadata?.creationTimestamp).toEqual(new Date(same?.metadata?.creationTimestamp ?? ""));
    expect(await theirs.findPod(config, "ours", "none")).toBeUndefined();
    expect(await ours.findPod(client, "ours", "none")).toBeUndefined();
  });

  it("creates an object", async () => {
    const created = [await theirs.createSettings(config, "theirs"), await ours.createSettings(client, "ours")];
    expect(created.map(setIn)).toEqual(Array(2).fill({ name: "settings", data: { colour: "green" } }));
  });

  it("patches with a merge patch and a strategic merge patch", async () => {
    for (const namespace of ["theirs", "ours"]) await createDeployment(namespace, "web");
    await theirs.label(config, "theirs", "web");
    await ours.label(client, "ours", "web");
    const patched = [
      await theirs.setImage(config, "theirs", "web", "example/web:2"),
      await ours.setImage(client, "ours", "web", "example/web:2"),
    ];
    expect(setIn(patched[0] ?? {})).toEqual(setIn(patched[1] ?? {}));
    expect(patched[1]).toMatchObject({
      metadata: { labels: { team: "shop" } },
      spec: {
        template: {
          spec: { containers: [{ image: "example/web:2", terminationMessagePath: "/dev/termination-log" }] },
        },
      },
    });
  });

  it("applies an object", async () => {
    for (const colour of ["green", "blue"]) {
      const applied = [
        await theirs.applySettings(config, "theirs", colour),
        await ours.applySettings(client, "ours", colour),
      ];
      expect(applied.map(setIn)).toEqual(Array(2).fill({ name: "applied", data: { colour } }));
    }
    for (const namespace of ["theirs", "ours"]) {
      const { metadata } = await client.get(ConfigMap, { namespace, name: "applied" });
      expect(metadata.managedFields).toMatchObject([{ manager: "script", operation: "Apply" }]);
    }
  });

  it("updates an object in spite of conflicts", async () => {
    for (const namespace of ["theirs", "ours"]) await createConfigMap(namespace, "counted");
    env.faults.failNext({ verb: "update", kind: ConfigMap, status: 409, reason: "Conflict", count: 2 });
    await theirs.count(config, "theirs", "counted");
    env.faults.failNext({ verb: "update", kind: ConfigMap, status: 409, reason: "Conflict", count: 2 });
    await ours.count(client, "ours", "counted");
    for (const namespace of ["theirs", "ours"])
      expect((await client.get(ConfigMap, { namespace, name: "counted" })).data).toEqual({ count: "1" });
    env.faults.failNext({ verb: "update", kind: ConfigMap, status: 409, reason: "Conflict", count: 5 });
    await expect(theirs.count(config, "theirs", "counted")).rejects.toMatchObject({ code: 409 });
    env.faults.failNext({ verb: "update", kind: ConfigMap, status: 409, reason: "Conflict", count: 5 });
    await expect(ours.count(client, "ours", "counted")).rejects.toSatisfy(isConflict);
  });

  it("deletes an object that may not exist", async () => {
    for (const namespace of ["theirs", "ours"]) await createDeployment(namespace, "old");
    for (const _ of ["exists", "is being deleted"]) {
      await theirs.remove(config, "theirs", "old");
      await ours.remove(client, "ours", "old");
      for (const namespace of ["theirs", "ours"])
        expect((await client.get(Deployment, { namespace, name: "old" })).metadata.finalizers).toEqual([
          "foregroundDeletion",
        ]);
    }
    await theirs.remove(config, "theirs", "none");
    await ours.remove(client, "ours", "none");
  });

  it("works with custom objects", async () => {
    expect(await theirs.sitesOf(config, "theirs")).toEqual([{ size: 3 }]);
    expect(await ours.sitesOf(client, "ours")).toEqual([{ size: 3 }]);
  });

  it("applies a file with several kinds", async () => {
    const manifests = (namespace: string): string => `apiVersion: v1
kind: ConfigMap
metadata: { name: from-file, namespace: ${namespace} }
data: { colour: green }
---
apiVersion: example.com/v1
kind: Site
metadata: { name: from-file, namespace: ${namespace} }
spec: { size: 5 }
`;
    const path = join(folder, "manifests.yaml");
    writeFileSync(path, manifests("ours"));
    await theirs.applyFile(config, manifests("theirs"));
    await ours.applyFile(client, path);
    for (const namespace of ["theirs", "ours"]) {
      const name = "from-file";
      expect((await client.get(ConfigMap, { namespace, name })).data).toEqual({ colour: "green" });
      const path = `/apis/example.com/v1/namespaces/${namespace}/sites/${name}`;
      expect(JSON.parse(String((await client.connection.request({ path })).body))).toMatchObject({ spec: { size: 5 } });
    }
    writeFileSync(path, manifests("ours").replace("Site", "Unknown"));
    await expect(ours.applyFile(client, path)).rejects.toThrow("from-file");
    await expect(theirs.applyFile(config, manifests("theirs").replace("Site", "Unknown"))).rejects.toThrow("Unknown");
  });

  it("follows changes across lost connections, without a gap and without repetition", async () => {
    const lines: { theirs: string[]; ours: string[] } = { theirs: [], ours: [] };
    const following = [
      theirs.follow(config, "theirs", (line) => void lines.theirs.push(line), stop.signal),
      ours.follow(client, "ours", (line) => void lines.ours.push(line), stop.signal),
    ];
    // An object that appears between the list and a test's first change would be in the list, so this one changes until both watch it.
    for (const namespace of ["theirs", "ours"]) await createConfigMap(namespace, "first");
    await vi.waitFor(
      async () => {
        const data = { at: `${performance.now()}` };
        for (const namespace of ["theirs", "ours"])
          await client.patch(ConfigMap, { namespace, name: "first" }, { data });
        for (const all of Object.values(lines)) expect(all).toContain("MODIFIED first");
      },
      { timeout: 10_000 },
    );
    const changes = () =>
      [lines.theirs, lines.ours].map((all) =>
        all.filter((line) => line !== "MODIFIED first" && line !== "ADDED first"),
      );
    const expected: string[] = [];
    for (const name of ["before", "between", "after"]) {
      for (const namespace of ["theirs", "ours"]) await createConfigMap(namespace, name);
      expected.push(`ADDED ${name}`);
      await vi.waitFor(() => expect(changes()).toEqual([expected, expected]), { timeout: 10_000 });
      env.faults.cutWatches(ConfigMap);
      for (const namespace of ["theirs", "ours"]) await client.delete(ConfigMap, { namespace, name });
      expected.push(`DELETED ${name}`);
    }
    await vi.waitFor(() => expect(changes()).toEqual([expected, expected]), { timeout: 10_000 });
    stop.abort();
    await Promise.all(following);
  });

  it("fails if the history that a watch needs is gone", async () => {
    const following = [
      theirs.follow(config, "theirs", () => {}, stop.signal),
      ours.follow(client, "ours", () => {}, stop.signal),
    ].map((running) => running.catch((error: unknown) => String(error)));
    let expired = 0;
    await vi.waitFor(() => {
      expired += env.faults.expireWatches(ConfigMap);
      expect(expired).toBe(2);
    });
    expect(await Promise.all(following)).toEqual([
      expect.stringContaining("410"),
      expect.stringContaining("too old resource version"),
    ]);
  });

  it("keeps a copy across lost connections, expired watches and refusals", async () => {
    const lines: { theirs: string[]; ours: string[] } = { theirs: [], ours: [] };
    const names = {
      theirs: await theirs.keepCopy(config, "theirs", (line) => void lines.theirs.push(line), stop.signal),
      ours: await ours.keepCopy(client, "ours", (line) => void lines.ours.push(line), stop.signal),
    };
    const copies = () => [[...names.theirs()].sort(), [...names.ours()].sort()];
    const expected = [...names.ours(), "informed"].sort();
    for (const namespace of ["theirs", "ours"]) await createConfigMap(namespace, "informed");
    await vi.waitFor(() => expect(copies()).toEqual([expected, expected]));
    env.faults.failNext({ verb: "watch", kind: ConfigMap, status: 500, count: 2 });
    env.faults.expireWatches(ConfigMap);
    for (const namespace of ["theirs", "ours"])
      await client.patch(ConfigMap, { namespace, name: "informed" }, { data: { colour: "red" } });
    await vi.waitFor(
      () => {
        for (const all of Object.values(lines)) expect(all).toContain("updated informed");
      },
      { timeout: 15_000 },
    );
    env.faults.cutWatches(ConfigMap);
    for (const namespace of ["theirs", "ours"]) await client.delete(ConfigMap, { namespace, name: "informed" });
    await vi.waitFor(
      () => {
        for (const all of Object.values(lines)) expect(all).toContain("deleted informed");
      },
      { timeout: 15_000 },
    );
    const without = expected.filter((name) => name !== "informed");
    expect(copies()).toEqual([without, without]);
  }, 40_000);

  it("reads and follows the log of a pod; client-node runs a command in it", async () => {
    await using plane = await startControlPlane({ images: { [stockNodeImage]: processImage() } });
    const [node, wright] = [new KubeConfig(), new Client({ connection: plane.connection() })];
    node.loadFromString(plane.kubeconfig);
    try {
      const script = `for (let i = 1; i <= 12; i++) console.log("line " + i); setInterval(() => {}, 1_000)`;
      const container = { name: "main", image: stockNodeImage, command: ["node", "-e", script] };
      const metadata = { namespace: "default", name: "web" };
      await wright.create(Pod, { metadata, spec: { containers: [container], terminationGracePeriodSeconds: 1 } });
      const last = Array.from({ length: 10 }, (_, i) => `line ${i + 3}\n`).join("");
      await vi.waitFor(async () => expect(await ours.lastLines(wright, "default", "web")).toBe(last), {
        timeout: 20_000,
      });
      expect(await theirs.lastLines(node, "default", "web")).toBe(last);
      const outs = [new PassThrough(), new PassThrough()] as const;
      const texts = ["", ""];
      for (const [i, out] of outs.entries())
        out.on("data", (chunk: Buffer) => {
          texts[i] += chunk.toString();
        });
      await theirs.followLog(node, "default", "web", outs[0]);
      const following = ours.followLog(wright, "default", "web", outs[1], stop.signal);
      const ended = following.catch((error: unknown) => error);
      await vi.waitFor(() => expect(texts).toEqual(Array(2).fill(`line 1\nline 2\n${last}`)));
      expect(await theirs.run(node, "default", "web", ["sh", "-c", "echo hello"])).toBe("hello\n");
      stop.abort();
      expect(await ended).toBe(stop.signal.reason);
      const closed = once(outs[0], "end"); // client-node follows until the container ends
      await wright.delete(Pod, "default/web");
      await closed;
    } finally {
      await wright.close();
    }
  }, 60_000);
});

describe("differences", () => {
  it("describes errors differently", async () => {
    const [their, our] = await Promise.all([
      theirs.label(config, "theirs", "none").catch((error: unknown) => error),
      ours.label(client, "ours", "none").catch((error: unknown) => error),
    ]);
    expect(their).toBeInstanceOf(ApiException);
    expect(String(their)).toMatch(/HTTP-Code: 404[\s\S]*Headers: /);
    expect(isNotFound(our)).toBe(true);
    expect(String(our)).toBe('StatusError: deployments.apps "none" not found');
  });

  it("retries only with Kubewright what the server refuses for the moment", async () => {
    const busy = { kind: Pod, verb: "list", status: 429, retryAfterSeconds: 1 } as const;
    env.faults.failNext(busy);
    await expect(theirs.podNames(config, "default")).rejects.toMatchObject({ code: 429 });
    env.faults.failNext(busy);
    expect(await ours.podNames(client, "default")).toEqual([]);
  });

  it("stops client-node's informer at an error, unless it is started again", async () => {
    const { makeInformer, CoreV1Api } = await import("@kubernetes/client-node");
    const api = config.makeApiClient(CoreV1Api);
    const path = "/api/v1/namespaces/theirs/configmaps";
    const informer = makeInformer(config, path, () => api.listNamespacedConfigMap({ namespace: "theirs" }));
    const error = Promise.withResolvers<unknown>();
    informer.on("error", error.resolve);
    env.faults.failNext({ verb: "watch", kind: ConfigMap, status: 500 });
    await informer.start();
    expect(await error.promise).toMatchObject({ statusCode: 500 });
    const kept = informer.list().length;
    await createConfigMap("theirs", "unseen");
    await theirs.podNames(config, "theirs"); // more than enough time for an event
    expect(informer.list()).toHaveLength(kept);
    await informer.start();
    await vi.waitFor(() => expect(informer.list()).toHaveLength(kept + 1));
    await informer.stop();
  });

  it("requests bookmarks only with Kubewright's informer", async () => {
    const watches = { theirs: [] as URLSearchParams[], ours: [] as URLSearchParams[] };
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
      const [, namespace] = /namespaces\/(theirs|ours)\/configmaps$/.exec(pathname) ?? [];
      response.setHeader("content-type", "application/json");
      if (searchParams.get("watch") && (namespace === "theirs" || namespace === "ours")) {
        watches[namespace].push(searchParams);
        if (searchParams.has("sendInitialEvents")) response.writeHead(422).end("{}");
        else response.writeHead(200).flushHeaders();
      } else
        response.end(
          JSON.stringify({ kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items: [] }),
        );
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const node = new KubeConfig();
    node.loadFromClusterAndUser({ name: "stub", server: url, skipTLSVerify: true }, { name: "user" });
    const wright = new Client({ connection: { server: url } });
    await theirs.keepCopy(node, "theirs", () => {}, stop.signal);
    await ours.keepCopy(wright, "ours", () => {}, stop.signal);
    await vi.waitFor(() => expect(watches.theirs.length * watches.ours.length).toBeGreaterThan(0));
    expect(watches.theirs.at(-1)?.get("allowWatchBookmarks") ?? null).toBeNull();
    expect(watches.ours.at(-1)?.get("allowWatchBookmarks")).toBe("true");
    stop.abort();
    await wright.close();
    server.closeAllConnections();
    server.close();
  });
});
