import { PassThrough, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Exec,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  Log,
  loadAllYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Deployment,
  type V1Pod,
  Watch,
} from "@kubernetes/client-node";

// #region connect
export function connect(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromDefault();
  return config;
}
// #endregion connect

// #region list
export async function podNames(
  config: KubeConfig,
  namespace: string,
): Promise<(string | undefined)[]> {
  const api = config.makeApiClient(CoreV1Api);
  const { items } = await api.listNamespacedPod({ namespace });
  return items.map((pod) => pod.metadata?.name);
}
// #endregion list

// #region pages
export async function countPods(config: KubeConfig): Promise<number> {
  const api = config.makeApiClient(CoreV1Api);
  let count = 0;
  let token: string | undefined;
  do {
    const page = await api.listPodForAllNamespaces({
      limit: 500,
      ...(token && { _continue: token }),
    });
    count += page.items.length;
    token = page.metadata?._continue;
  } while (token);
  return count;
}
// #endregion pages

// #region select
export async function podsOnNode(
  config: KubeConfig,
  node: string,
): Promise<(string | undefined)[]> {
  const { items } = await config
    .makeApiClient(CoreV1Api)
    .listPodForAllNamespaces({
      labelSelector: "app in (web,db)",
      fieldSelector: `spec.nodeName=${node}`,
    });
  return items.map((pod) => pod.metadata?.name);
}
// #endregion select

// #region get
export async function findPod(
  config: KubeConfig,
  namespace: string,
  name: string,
): Promise<V1Pod | undefined> {
  try {
    const api = config.makeApiClient(CoreV1Api);
    return await api.readNamespacedPod({ namespace, name });
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined;
    throw error;
  }
}
// #endregion get

// #region create
export async function createSettings(
  config: KubeConfig,
  namespace: string,
): Promise<V1ConfigMap> {
  return config.makeApiClient(CoreV1Api).createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: "settings" }, data: { colour: "green" } },
  });
}
// #endregion create

// #region patch
export async function label(
  config: KubeConfig,
  namespace: string,
  name: string,
): Promise<V1Deployment> {
  return config
    .makeApiClient(AppsV1Api)
    .patchNamespacedDeployment(
      { namespace, name, body: { metadata: { labels: { team: "shop" } } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
}

export async function setImage(
  config: KubeConfig,
  namespace: string,
  name: string,
  image: string,
): Promise<V1Deployment> {
  const containers = [{ name: "main", image }];
  return config.makeApiClient(AppsV1Api).patchNamespacedDeployment(
    {
      namespace,
      name,
      body: { spec: { template: { spec: { containers } } } },
    },
    setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  );
}
// #endregion patch

// #region apply
export async function applySettings(
  config: KubeConfig,
  namespace: string,
  colour: string,
): Promise<V1ConfigMap> {
  return config.makeApiClient(CoreV1Api).patchNamespacedConfigMap(
    {
      namespace,
      name: "applied",
      fieldManager: "script",
      force: true,
      body: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "applied" },
        data: { colour },
      },
    },
    setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
  );
}
// #endregion apply

// #region update
export async function count(
  config: KubeConfig,
  namespace: string,
  name: string,
): Promise<void> {
  const api = config.makeApiClient(CoreV1Api);
  for (let attempt = 1; ; attempt++) {
    const body = await api.readNamespacedConfigMap({ namespace, name });
    body.data = { ...body.data, count: `${Number(body.data?.count ?? 0) + 1}` };
    try {
      await api.replaceNamespacedConfigMap({ namespace, name, body });
      return;
    } catch (error) {
      const isConflict = error instanceof ApiException && error.code === 409;
      if (!isConflict || attempt === 5) throw error;
      await sleep(10);
    }
  }
}
// #endregion update

// #region delete
export async function remove(
  config: KubeConfig,
  namespace: string,
  name: string,
): Promise<void> {
  try {
    await config.makeApiClient(AppsV1Api).deleteNamespacedDeployment({
      namespace,
      name,
      propagationPolicy: "Foreground",
    });
  } catch (error) {
    if (!(error instanceof ApiException && error.code === 404)) throw error;
  }
}
// #endregion delete

// #region watch
export async function follow(
  config: KubeConfig,
  namespace: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const api = config.makeApiClient(CoreV1Api);
  const { metadata } = await api.listNamespacedConfigMap({ namespace });
  let resourceVersion = metadata?.resourceVersion;
  while (!signal.aborted) {
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    let expired: unknown;
    const request = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion, allowWatchBookmarks: true },
      (type, object) => {
        if (type === "ERROR")
          expired = object; // such as 410: list again
        else resourceVersion = object.metadata.resourceVersion;
        if (type !== "ERROR" && type !== "BOOKMARK")
          print(`${type} ${object.metadata.name}`);
      },
      resolve,
    );
    const stop = () => request.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    await ended;
    signal.removeEventListener("abort", stop);
    if (expired) throw new Error(`watch: ${JSON.stringify(expired)}`);
    await sleep(1_000);
  }
}
// #endregion watch

// #region informer
export async function keepCopy(
  config: KubeConfig,
  namespace: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<() => readonly (string | undefined)[]> {
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => api.listNamespacedConfigMap({ namespace }),
  );
  informer.on("add", ({ metadata }) => print(`added ${metadata?.name}`));
  informer.on("update", ({ metadata }) => print(`updated ${metadata?.name}`));
  informer.on("delete", ({ metadata }) => print(`deleted ${metadata?.name}`));
  informer.on("error", async () => {
    await sleep(1_000);
    if (!signal.aborted) await informer.start(); // otherwise, it stays stopped
  });
  await informer.start();
  signal.addEventListener("abort", () => void informer.stop(), { once: true });
  return () => informer.list(namespace).map(({ metadata }) => metadata?.name);
}
// #endregion informer

// #region log
export async function lastLines(
  config: KubeConfig,
  namespace: string,
  name: string,
): Promise<string> {
  return config.makeApiClient(CoreV1Api).readNamespacedPodLog({
    namespace,
    name,
    container: "main",
    tailLines: 10,
  });
}

export async function followLog(
  config: KubeConfig,
  namespace: string,
  name: string,
  out: Writable,
): Promise<void> {
  await new Log(config).log(namespace, name, "main", out, { follow: true });
}
// #endregion log

// #region exec
export async function run(
  config: KubeConfig,
  namespace: string,
  name: string,
  command: string[],
): Promise<string> {
  const stdout = new PassThrough();
  const exec = new Exec(config);
  await exec.exec(namespace, name, "main", command, stdout, null, null, false);
  return text(stdout);
}
// #endregion exec

// #region custom
export async function sitesOf(
  config: KubeConfig,
  namespace: string,
): Promise<unknown> {
  const api = config.makeApiClient(CustomObjectsApi);
  const sites = { group: "example.com", version: "v1", plural: "sites" };
  await api.createNamespacedCustomObject({
    ...sites,
    namespace,
    body: {
      apiVersion: "example.com/v1",
      kind: "Site",
      metadata: { name: "north" },
      spec: { size: 3 },
    },
  });
  const list = await api.listNamespacedCustomObject({ ...sites, namespace });
  return list.items.map((site: { readonly spec: unknown }) => site.spec);
}
// #endregion custom

// #region manifests
export async function applyFile(
  config: KubeConfig,
  yaml: string,
): Promise<void> {
  const api = KubernetesObjectApi.makeApiClient(config);
  for (const manifest of loadAllYaml(yaml) as KubernetesObject[])
    await api.patch(
      manifest,
      undefined, // pretty
      undefined, // dryRun
      "script",
      true, // force
      PatchStrategy.ServerSideApply,
    );
}
// #endregion manifests
