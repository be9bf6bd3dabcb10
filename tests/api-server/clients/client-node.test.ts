import { PassThrough } from "node:stream";
import {
  ApiException,
  AppsV1Api,
  AuthorizationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  PortForward,
  setHeaderOptions,
  V1MicroTime,
  VersionApi,
  Watch,
} from "@kubernetes/client-node";
import type { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientUser, startForClients } from "./served-cluster.ts";

const namespace = "default";
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
const deployment = { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
const sites = { group: "example.com", version: "v1", namespace, plural: "sites" };

const codeOf = (promise: Promise<unknown>): Promise<number> =>
  promise.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof ApiException) return error.code;
      throw error;
    },
  );

describe.each([{ http2: true }, { http2: false }])("@kubernetes/client-node, HTTP/2 offered: $http2", ({ http2 }) => {
  let server: ApiServer;
  const config = new KubeConfig();

  beforeAll(async () => {
    server = await startForClients({ http2 });
    config.loadFromString(server.kubeconfig(clientUser));
  });
  afterAll(() => server?.stop());

  it("loads the kubeconfig, and connects to the server over TLS as its user", async () => {
    expect(config.getCurrentCluster()?.server).toBe(server.url);
    expect(config.getCurrentUser()?.name).toBe(clientUser);
    const version = await config.makeApiClient(VersionApi).getCode();
    expect(version.major).toBe("1");
  });

  it("creates, reads, replaces, lists and deletes core objects", async () => {
    const api = config.makeApiClient(CoreV1Api);
    const body = { metadata: { name: "settings", labels }, data: { colour: "green" }, binaryData: { b: "AAE=" } };
    const created = await api.createNamespacedConfigMap({ namespace, body });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const read = await api.readNamespacedConfigMap({ namespace, name: "settings" });
    expect(read).toEqual(created);
    await api.replaceNamespacedConfigMap({ namespace, name: "settings", body: { ...read, data: { colour: "blue" } } });
    const stale = api.replaceNamespacedConfigMap({ namespace, name: "settings", body: { ...read, data: {} } });
    expect(await codeOf(stale)).toBe(409);
    const list = await api.listNamespacedConfigMap({ namespace, labelSelector: "app=web" });
    expect(list.items.map(({ data }) => data)).toEqual([{ colour: "blue" }]);
    await api.deleteNamespacedConfigMap({ namespace, name: "settings" });
    expect(await codeOf(api.readNamespacedConfigMap({ namespace, name: "settings" }))).toBe(404);
  });

  it("lists in chunks", async () => {
    const api = config.makeApiClient(CoreV1Api);
    for (const name of ["a", "b", "c"])
      await api.createNamespacedSecret({ namespace, body: { metadata: { name }, stringData: { name } } });
    const first = await api.listNamespacedSecret({ namespace, limit: 2 });
    const next = await api.listNamespacedSecret({ namespace, limit: 2, _continue: first.metadata?._continue ?? "" });
    expect([...first.items, ...next.items].map(({ metadata }) => metadata?.name)).toEqual(["a", "b", "c"]);
    expect(next.metadata?._continue).toBeUndefined();
    await api.deleteCollectionNamespacedSecret({ namespace });
    expect((await api.listNamespacedSecret({ namespace })).items).toEqual([]);
  });

  it("patches in four ways, and uses scale and status", async () => {
    const api = config.makeApiClient(AppsV1Api);
    const one = { namespace, name: "web" };
    await api.createNamespacedDeployment({ namespace, body: deployment });
    const patch = (strategy: PatchStrategy, body: unknown, more = {}) =>
      api.patchNamespacedDeployment({ ...one, body, ...more }, setHeaderOptions("Content-Type", strategy));
    await patch(PatchStrategy.JsonPatch, [{ op: "replace", path: "/spec/replicas", value: 3 }]);
    await patch(PatchStrategy.MergePatch, { metadata: { labels: { merged: "yes" } } });
    const side = { name: "side", image: "example/side:1" };
    await patch(PatchStrategy.StrategicMergePatch, { spec: { template: { spec: { containers: [side] } } } });
    const applied = await patch(
      PatchStrategy.ServerSideApply,
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", annotations: { applied: "yes" } } },
      { fieldManager: "check" },
    );
    expect(applied.spec?.replicas).toBe(3);
    expect(applied.metadata).toMatchObject({ labels: { merged: "yes" }, annotations: { applied: "yes" } });
    expect(applied.spec?.template.spec?.containers.map(({ name }) => name)).toEqual(["side", "main"]);
    const scale = await api.readNamespacedDeploymentScale(one);
    await api.replaceNamespacedDeploymentScale({ ...one, body: { ...scale, spec: { replicas: 5 } } });
    const status = { replicas: 5, readyReplicas: 4 };
    const body = { ...applied, metadata: { name: "web" }, status };
    const updated = await api.replaceNamespacedDeploymentStatus({ ...one, body });
    expect([updated.spec?.replicas, updated.status?.readyReplicas]).toEqual([5, 4]);
    await api.deleteNamespacedDeployment({ ...one, propagationPolicy: "Background" });
  });

  it("works with custom resources", async () => {
    const api = config.makeApiClient(CustomObjectsApi);
    const site = (name: string, size: number) => ({
      apiVersion: "example.com/v1",
      kind: "Site",
      metadata: { name },
      spec: { size },
    });
    await api.createNamespacedCustomObject({ ...sites, body: site("a", 1) });
    expect(await codeOf(api.createNamespacedCustomObject({ ...sites, body: site("b", -1) }))).toBe(422);
    await api.patchNamespacedCustomObject(
      { ...sites, name: "a", body: { spec: { size: 2 } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    await api.patchNamespacedCustomObjectStatus(
      { ...sites, name: "a", body: { status: { phase: "Ready" } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    expect(await api.getNamespacedCustomObject({ ...sites, name: "a" })).toMatchObject({
      spec: { size: 2 },
      status: { phase: "Ready" },
    });
    await api.deleteNamespacedCustomObject({ ...sites, name: "a" });
    expect(await api.listNamespacedCustomObject(sites)).toMatchObject({ kind: "SiteList", items: [] });
  });

  it("finds objects of any kind by discovery", async () => {
    const api = KubernetesObjectApi.makeApiClient(config);
    const spec = {
      apiVersion: "example.com/v1",
      kind: "Site",
      metadata: { name: "any", namespace },
      spec: { size: 1 },
    };
    await api.create(spec);
    expect(await api.read(spec)).toMatchObject({ spec: { size: 1 } });
    const wish = { ...spec, spec: { size: 7 } };
    const applied = await api.patch(wish, undefined, undefined, "check", true, PatchStrategy.ServerSideApply);
    expect(applied).toMatchObject({ spec: { size: 7 } });
    expect((await api.list("example.com/v1", "Site", namespace)).items).toHaveLength(1);
    await api.delete(spec);
  });

  it("watches", async () => {
    const api = config.makeApiClient(CoreV1Api);
    const { metadata } = await api.listNamespacedConfigMap({ namespace });
    const seen: string[] = [];
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    const controller = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true },
      (phase, { metadata: { name } }: { readonly metadata: { readonly name: string } }) =>
        seen.push(`${phase} ${name}`),
      resolve,
    );
    const body = { metadata: { name: "watched" }, data: { a: "b" } };
    await api.createNamespacedConfigMap({ namespace, body });
    await api.replaceNamespacedConfigMap({ namespace, name: "watched", body: { ...body, data: {} } });
    await api.deleteNamespacedConfigMap({ namespace, name: "watched" });
    await expect.poll(() => seen).toEqual(["ADDED watched", "MODIFIED watched", "DELETED watched"]);
    controller.abort();
    await ended;
  });

  it("keeps an informer across a restart of the server", async () => {
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => api.listNamespacedConfigMap({ namespace, labelSelector: "informed=yes" }),
      "informed=yes",
    );
    const seen: string[] = [];
    for (const verb of ["add", "update", "delete"] as const)
      informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata?.name}`));
    informer.on("error", () => void informer.start());
    await informer.start();
    const body = (name: string) => ({ metadata: { name, labels: { informed: "yes" } } });
    await api.createNamespacedConfigMap({ namespace, body: body("first") });
    await expect.poll(() => informer.get("first", namespace)?.metadata?.name).toBe("first");
    await server.restart();
    await expect
      .poll(() => api.createNamespacedConfigMap({ namespace, body: body("second") }).catch(codeOfLost))
      .toBe(409);
    await expect
      .poll(() => informer.list(namespace).map(({ metadata }) => metadata?.name))
      .toEqual(["first", "second"]);
    await api.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "informed=yes" });
    await expect.poll(() => informer.list(namespace)).toEqual([]);
    expect(seen.filter((line) => !line.startsWith("update"))).toEqual([
      "add first",
      "add second",
      "delete first",
      "delete second",
    ]);
    await informer.stop();
  });

  it("acquires, renews and loses a Lease, as leader election does", async () => {
    const api = config.makeApiClient(CoordinationV1Api);
    const one = { namespace, name: "leader" };
    const held = (holderIdentity: string) => ({
      metadata: { name: "leader" },
      spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: new V1MicroTime() },
    });
    const taken = await api.createNamespacedLease({ namespace, body: held("first") });
    expect(taken.spec?.holderIdentity).toBe("first");
    expect(await codeOf(api.createNamespacedLease({ namespace, body: held("second") }))).toBe(409);
    const renewed = await api.replaceNamespacedLease({ ...one, body: { ...taken, spec: held("first").spec } });
    const late = { ...held("second"), metadata: taken.metadata ?? {} };
    expect(await codeOf(api.replaceNamespacedLease({ ...one, body: late }))).toBe(409);
    const next = await api.replaceNamespacedLease({
      ...one,
      body: { ...renewed, spec: { ...held("second").spec, leaseTransitions: 1 } },
    });
    expect(next.spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
  });

  it("is refused exec and port forwarding, which need a kubelet", async () => {
    const api = config.makeApiClient(CoreV1Api);
    const nodeName = `far-${http2}`;
    const status = { addresses: [{ type: "InternalIP", address: "192.0.2.7" }] };
    await api.createNode({ body: { metadata: { name: nodeName }, status } });
    const spec = { ...template.spec, nodeName };
    await api.createNamespacedPod({ namespace, body: { metadata: { name: "web" }, spec } });
    const streams = () => [new PassThrough(), new PassThrough(), new PassThrough()] as const;
    const [out, err, input] = streams();
    const exec = new Exec(config).exec(namespace, "web", "main", "ls", out, err, input, false);
    await expect(exec).rejects.toMatchObject({ message: expect.stringContaining("501") });
    const [output, errors, from] = streams();
    const forwarded = new PortForward(config).portForward(namespace, "web", [80], output, errors, from);
    await expect(forwarded).rejects.toMatchObject({ message: expect.stringContaining("501") });
    expect(await codeOf(api.readNamespacedPodLog({ namespace, name: "web" }))).toBe(501);
  });

  it("gets its permissions, and is refused other requests", async () => {
    const body = { spec: { resourceAttributes: { verb: "delete", resource: "nodes" } } };
    const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({ body });
    expect(review.status?.allowed).toBe(true);
    const { token } = server.addUser({ name: "stranger", groups: [], token: `stranger-${http2}` });
    const stranger = new KubeConfig();
    const cluster = config.getCurrentCluster();
    stranger.loadFromClusterAndUser(cluster ?? { name: "", server: "", skipTLSVerify: false }, {
      name: "stranger",
      token,
    });
    expect(await codeOf(stranger.makeApiClient(CoreV1Api).listNode())).toBe(403);
  });
});

/** Returns the status code; 0 for a lost connection. */
const codeOfLost = (error: unknown): number => (error instanceof ApiException ? error.code : 0);
