import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { clientListWatch, retryWatch } from "@kubewright/cache/tools";
import { applyManifests, readManifests } from "@kubewright/client/apply";
import {
  Client,
  Connection,
  InformerFactory,
  ignoreNotFound,
  isConflict,
  isNotFound,
  retryOnError,
  unstructured,
} from "kubewright";
import { ConfigMap, Deployment, Pod } from "kubewright/kinds";

// #region connect
export function connect(): Client {
  return new Client({
    connection: Connection.fromDefault(),
    fieldOwner: "script",
  });
}
// #endregion connect

// #region list
export async function podNames(
  client: Client,
  namespace: string,
): Promise<string[]> {
  const pods = await client.list(Pod, { namespace });
  return pods.map((pod) => pod.metadata.name);
}
// #endregion list

// #region pages
export async function countPods(client: Client): Promise<number> {
  let count = 0;
  for await (const page of client.listPages(Pod)) count += page.length;
  return count;
}
// #endregion pages

// #region select
export async function podsOnNode(
  client: Client,
  node: string,
): Promise<string[]> {
  const pods = await client.list(Pod, {
    labels: "app in (web,db)",
    fields: { "spec.nodeName": node },
  });
  return pods.map((pod) => pod.metadata.name);
}
// #endregion select

// #region get
export async function findPod(
  client: Client,
  namespace: string,
  name: string,
): Promise<Pod | undefined> {
  try {
    return await client.get(Pod, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
// #endregion get

// #region create
export async function createSettings(
  client: Client,
  namespace: string,
): Promise<ConfigMap> {
  return client.create(ConfigMap, {
    metadata: { namespace, name: "settings" },
    data: { colour: "green" },
  });
}
// #endregion create

// #region patch
export async function label(
  client: Client,
  namespace: string,
  name: string,
): Promise<Deployment> {
  return client.patch(
    Deployment,
    { namespace, name },
    { metadata: { labels: { team: "shop" } } },
  );
}

export async function setImage(
  client: Client,
  namespace: string,
  name: string,
  image: string,
): Promise<Deployment> {
  const containers = [{ name: "main", image }];
  return client.patch(
    Deployment,
    { namespace, name },
    { spec: { template: { spec: { containers } } } },
    { type: "strategic" },
  );
}
// #endregion patch

// #region apply
export async function applySettings(
  client: Client,
  namespace: string,
  colour: string,
): Promise<ConfigMap> {
  return client.apply(
    ConfigMap,
    { metadata: { namespace, name: "applied" }, data: { colour } },
    { force: true },
  );
}
// #endregion apply

// #region update
export async function count(
  client: Client,
  namespace: string,
  name: string,
): Promise<void> {
  const increment = async () => {
    const settings = await client.get(ConfigMap, { namespace, name });
    const count = Number(settings.data?.count ?? 0) + 1;
    settings.data = { ...settings.data, count: `${count}` };
    await client.update(ConfigMap, settings);
  };
  await retryOnError(increment, { isRetriable: isConflict });
}
// #endregion update

// #region delete
export async function remove(
  client: Client,
  namespace: string,
  name: string,
): Promise<void> {
  await client
    .delete(
      Deployment,
      { namespace, name },
      { propagationPolicy: "Foreground" },
    )
    .catch(ignoreNotFound);
}
// #endregion delete

// #region watch
export async function follow(
  client: Client,
  namespace: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { metadata } = await client.list(ConfigMap, { namespace });
  const changes = retryWatch(
    clientListWatch(client, ConfigMap, { namespace }),
    {
      resourceVersion: metadata.resourceVersion ?? "",
      signal,
    },
  );
  for await (const { type, object } of changes)
    print(`${type} ${object.metadata.name}`);
}
// #endregion watch

// #region informer
export async function keepCopy(
  client: Client,
  namespace: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<() => readonly string[]> {
  const informers = new InformerFactory(client);
  const configMaps = informers.for(ConfigMap, { namespace });
  configMaps.addHandler({
    added: ({ metadata }) => print(`added ${metadata.name}`),
    updated: (_, { metadata }) => print(`updated ${metadata.name}`),
    deleted: ({ metadata }) => print(`deleted ${metadata.name}`),
  });
  await informers.start(signal);
  await informers.synced(signal);
  return () => configMaps.lister.list().map(({ metadata }) => metadata.name);
}
// #endregion informer

// #region log
export async function lastLines(
  client: Client,
  namespace: string,
  name: string,
): Promise<string> {
  return client
    .subResource("log")
    .getText(
      Pod,
      { namespace, name },
      { query: { container: "main", tailLines: "10" } },
    );
}

export async function followLog(
  client: Client,
  namespace: string,
  name: string,
  out: Writable,
  signal: AbortSignal,
): Promise<void> {
  const { chunks } = await client.connection.stream({
    path: `/api/v1/namespaces/${namespace}/pods/${name}/log`,
    query: { container: "main", follow: true },
    signal,
  });
  await pipeline(chunks, out);
}
// #endregion log

// #region custom
export async function sitesOf(
  client: Client,
  namespace: string,
): Promise<unknown> {
  const Site = unstructured({ apiVersion: "example.com/v1", kind: "Site" });
  await client.create(Site, {
    metadata: { namespace, name: "north" },
    spec: { size: 3 },
  });
  const sites = await client.list(Site, { namespace });
  return sites.map((site) => site.spec);
}
// #endregion custom

// #region manifests
export async function applyFile(client: Client, path: string): Promise<void> {
  const { manifests } = await readManifests({ files: [path] });
  for await (const { outcome, name, reason } of applyManifests(
    client,
    manifests,
    { fieldOwner: "script", wait: true },
  ))
    if (outcome === "failed") throw new Error(`${name}: ${reason}`);
}
// #endregion manifests
