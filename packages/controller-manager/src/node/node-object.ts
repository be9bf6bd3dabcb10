import { type DeepReadonly, ignoreAlreadyExists, ignoreNotFound, kubernetesVersion } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Lease, Namespace, Node } from "@kubewright/client/kinds";
import { type Clock, rfc3339, rfc3339Micro } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";

/** Options for a simulated node: name, labels, address and images. */
export interface NodeObjectOptions {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ip: string;
  /** Names of the images for which the node has runners. Containers with other images are simulated. */
  readonly images: readonly string[];
}

/**
 * Annotation on a simulated node with the names of the images for which it has runners, separated by commas. A client that is about to
 * create a pod can use this annotation to check whether the pod's image would actually run.
 */
const imagesAnnotation = "sim.kubewright.dev/images";

/** The capacity of each simulated node. */
export const nodeResources: Readonly<Record<string, string>> = {
  cpu: "64",
  memory: "256Gi",
  pods: "10000",
  "ephemeral-storage": "1Ti",
};

const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;
const renewMs = 10_000;

/**
 * Registers a node as ready and renews its lease until the signal aborts. If the server is temporarily unavailable,
 * keeps trying.
 */
export async function keepNode(
  client: Reader & Writer,
  settings: NodeObjectOptions,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await register(client, settings, clock);
      await renew(client, settings.name, clock);
    } catch (error) {
      log.debug({ node: settings.name, err: error }, "cannot register the node or renew its Lease; retrying");
      await clock.sleep(500, signal);
      continue;
    }
    await clock.sleep(renewMs, signal);
  }
}

async function register(
  client: Reader & Writer,
  { name, labels, ip, images }: NodeObjectOptions,
  clock: Clock,
): Promise<void> {
  const annotations = { [imagesAnnotation]: images.join(",") };
  const known = await client.get(Node, name).catch(ignoreNotFound);
  if (known && known.metadata.annotations?.[imagesAnnotation] !== annotations[imagesAnnotation])
    await client.patch(Node, name, { metadata: { annotations } }); // an earlier control plane with the same objects ran different images
  if (known) return;
  await client
    .create(Node, {
      metadata: {
        name,
        annotations,
        labels: {
          "kubernetes.io/hostname": name,
          "kubernetes.io/os": "linux",
          "kubernetes.io/arch": "amd64",
          ...labels,
        },
      },
    })
    .catch(ignoreAlreadyExists);
  const now = rfc3339(clock.now());
  const ready = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "the simulated node is ready",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  await client.status.patch(Node, name, {
    capacity: nodeResources,
    allocatable: nodeResources,
    conditions: [ready],
    addresses: [
      { type: "InternalIP", address: ip },
      { type: "Hostname", address: name },
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: name,
      containerRuntimeVersion: "kubewright://1",
      kernelVersion: "simulated",
      kubeProxyVersion: kubernetesVersion,
      kubeletVersion: kubernetesVersion,
      machineID: name,
      operatingSystem: "linux",
      osImage: "simulated",
      systemUUID: name,
    },
  });
  await untaint(client, name);
}

/**
 * Removes the not-ready taint that the API server adds to every new node. In a real cluster, the node lifecycle controller does this once
 * the node is ready.
 */
async function untaint(client: Reader & Writer, name: string): Promise<void> {
  const { taints = [] } = (await client.get(Node, name)).spec ?? {};
  const others = taints.filter(({ key }) => key !== "node.kubernetes.io/not-ready");
  if (others.length < taints.length)
    await client.patch(Node, name, { spec: { taints: others.length > 0 ? others : null } });
}

/**
 * Copies the capacity of extended resources to the node's allocatable resources, because a device plugin or an administrator may have
 * changed the capacity.
 */
async function offerAll(client: Writer, { metadata, status }: DeepReadonly<Node>): Promise<void> {
  const { capacity = {}, allocatable = {} } = status ?? {};
  const isExtended = (resource: string): boolean => resource.includes("/");
  const changed = Object.entries(capacity).filter(([name, amount]) => isExtended(name) && allocatable[name] !== amount);
  const gone = Object.keys(allocatable).filter((name) => isExtended(name) && !(name in capacity));
  if (changed.length + gone.length === 0) return;
  const changes = Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]);
  await client.status.patch(Node, metadata.name, { allocatable: changes });
}

async function renew(client: Reader & Writer, name: string, clock: Clock): Promise<void> {
  const key = `${leaseNamespace}/${name}`;
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: rfc3339Micro(clock.now()) };
  const node = await client.get(Node, name);
  await offerAll(client, node);
  const { uid = "" } = node.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
  if (await client.get(Lease, key).catch(ignoreNotFound)) {
    await client.patch(Lease, key, { metadata: { ownerReferences }, spec });
    return;
  }
  await client.create(Namespace, { metadata: { name: leaseNamespace } }).catch(ignoreAlreadyExists);
  await client
    .create(Lease, { metadata: { name, namespace: leaseNamespace, ownerReferences }, spec })
    .catch(ignoreAlreadyExists);
}
