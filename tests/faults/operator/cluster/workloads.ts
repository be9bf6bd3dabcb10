import { type Clock, rfc3339 } from "@kubewright/clock";
import type { CnfNetwork } from "../network/cnf-network.ts";
import { networks, SimulatedCnf } from "../network/simulated-cnf.ts";
import { type ApiResource, apiVersionOf, deployments, pods, replicaSets } from "./api-resource.ts";
import type { Cluster } from "./cluster.ts";
import type { StoredObject } from "./stored-object.ts";

export const purposeLabel = "sdewanPurpose";
export const stageAnnotation = "sdewan.akraino.org/stage";
/** Namespace of all CNFs. */
export const site = "site";
/** Another namespace, with rules but without CNFs. */
export const elsewhere = "far";
export const accountSecret = "account";

const nfnNetworks = JSON.stringify({
  type: "ovn4nfv",
  interface: networks.map(({ network, interface: name }) => ({
    name: network,
    interface: name,
    defaultGateway: false,
  })),
});

/** Pod specification. Nothing in the simulation depends on it. */
const spec = { containers: [{ name: "cnf", image: "cnf" }] };
const startMs = 2_000;
const goneMs = 3_000;

/** Simulates Kubernetes' handling of CNF Deployments and their pods, with a CNF in each, and of application pods. */
export class Workloads {
  readonly #store: Cluster;
  readonly #network: CnfNetwork;
  readonly #clock: Clock;
  readonly #password: () => string;
  readonly #stageOf: (purpose: string) => string | undefined;
  #next = 1;

  constructor(parts: {
    readonly store: Cluster;
    readonly network: CnfNetwork;
    readonly clock: Clock;
    readonly password: () => string;
    readonly stageOf: (purpose: string) => string | undefined;
  }) {
    this.#store = parts.store;
    this.#network = parts.network;
    this.#clock = parts.clock;
    this.#password = parts.password;
    this.#stageOf = parts.stageOf;
  }

  /** Creates a Deployment with ready pods. */
  async deploy(name: string, purpose: string, replicas: number): Promise<void> {
    const labels = { [purposeLabel]: purpose, "cnf-account-secret": accountSecret };
    const stage = this.#stageOf(purpose);
    const probe = { "sdewan.akraino.org/probe": "tcp/10.96.0.1:443" };
    const template = { metadata: { labels, annotations: { "k8s.plugin.opnfv.org/nfn-network": nfnNetworks } }, spec };
    const deployment = await this.#store.create(deployments, site, {
      metadata: {
        name,
        labels,
        annotations: { ...probe, ...(stage === undefined ? {} : { [stageAnnotation]: stage }) },
      },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
    await this.#newReplicaSet(deployment, replicas, true);
  }

  /** Simulates a new template: creates a new ReplicaSet with new pods, and deletes the old ones. */
  async rollOut(deployment: StoredObject): Promise<void> {
    const old = this.podsOf(deployment);
    await this.#newReplicaSet(deployment, replicasOf(deployment), false);
    for (const pod of old) await this.#end(pod);
  }

  async scale(deployment: StoredObject, replicas: number): Promise<void> {
    const current = this.podsOf(deployment);
    await this.#patch(deployments, deployment, { spec: { replicas } });
    for (const pod of current.slice(replicas)) await this.#end(pod);
    const [replicaSet] = this.#owned(replicaSets, deployment).toReversed();
    for (let count = current.length; replicaSet && count < replicas; count++)
      await this.#newPod(deployment, replicaSet, false);
    await this.#setAvailable(deployment);
  }

  /** Replaces one pod. */
  async replace(pod: StoredObject): Promise<void> {
    const replicaSet = this.#ownerOf(replicaSets, pod);
    const deployment = replicaSet && this.#ownerOf(deployments, replicaSet);
    await this.#end(pod);
    if (replicaSet && deployment) await this.#newPod(deployment, replicaSet, false);
  }

  /** Restarts the container of a pod: its CNF is empty, and unreachable for a moment. */
  async restartContainer(pod: StoredObject): Promise<void> {
    const cnf = this.cnfIn(pod);
    if (!cnf) return;
    cnf.restart();
    cnf.isUnreachable = true;
    const restarts = restartsOf(pod) + 1;
    await this.#patchStatus(pod, { ...containers(restarts, undefined), conditions: [ready(false)] });
    const deployment = this.deploymentOf(pod);
    if (deployment) await this.#setAvailable(deployment);
    this.#later(startMs, async () => {
      cnf.isUnreachable = false;
      const startedAt = rfc3339(this.#clock.now());
      await this.#patchStatus(pod, { ...containers(restarts, startedAt), conditions: [ready(true)] });
      if (deployment) await this.#setAvailable(deployment);
    });
  }

  /** @param orphan true to keep its pods */
  async remove(deployment: StoredObject, { orphan = false } = {}): Promise<void> {
    if (orphan) {
      const { namespace = "", name } = deployment.metadata;
      await this.#patch(deployments, deployment, { metadata: { finalizers: ["orphan"] } });
      await this.#store.delete(deployments, { namespace, name });
      for (const replicaSet of this.#owned(replicaSets, deployment))
        await this.#patch(replicaSets, replicaSet, { metadata: { ownerReferences: null } });
      await this.#patch(deployments, deployment, { metadata: { finalizers: null } });
      return;
    }
    const gone = this.podsOf(deployment);
    await this.#delete(deployments, deployment);
    for (const replicaSet of this.#owned(replicaSets, deployment)) await this.#delete(replicaSets, replicaSet);
    for (const pod of gone) await this.#end(pod);
  }

  /** Returns the pods of a Deployment that are not terminating. */
  podsOf(deployment: StoredObject): readonly StoredObject[] {
    return this.#owned(replicaSets, deployment)
      .flatMap((replicaSet) => this.#owned(pods, replicaSet))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Returns the Deployment that runs a pod, if any. */
  deploymentOf(pod: StoredObject): StoredObject | undefined {
    const replicaSet = this.#ownerOf(replicaSets, pod);
    return replicaSet && this.#ownerOf(deployments, replicaSet);
  }

  /** Returns the CNF pods that a deleted Deployment left behind. */
  leftBehind(): readonly StoredObject[] {
    return this.#store
      .list(pods)
      .filter(({ metadata }) => purposeLabel in (metadata.labels ?? {}) && metadata.deletionTimestamp === undefined)
      .filter((pod) => !this.deploymentOf(pod));
  }

  cnfIn(pod: StoredObject): SimulatedCnf | undefined {
    return this.#network.at(String(pod.status?.podIP));
  }

  /** Adds a pod that is not a CNF. */
  async addApplicationPod(app: string): Promise<StoredObject> {
    const podIP = this.#network.newAddress();
    this.#network.strangers.add(podIP);
    const name = `${app}-${this.#next++}`;
    const labels = { app };
    const pod = await this.#store.create(pods, site, { metadata: { name, labels }, spec });
    const podIPs = [{ ip: podIP }];
    return (await this.#patchStatus(pod, { phase: "Running", podIP, podIPs, conditions: [ready(true)] })) ?? pod;
  }

  removePod(pod: StoredObject): Promise<void> {
    return this.#delete(pods, pod);
  }

  async #newReplicaSet(deployment: StoredObject, replicas: number, isReady: boolean): Promise<void> {
    const { name, labels = {} } = deployment.metadata;
    const { template } = (deployment.spec ?? {}) as { template?: { metadata?: { labels?: typeof labels } } };
    const podLabels = template?.metadata?.labels ?? labels;
    const replicaSet = await this.#store.create(replicaSets, site, {
      metadata: {
        name: `${name}-${this.#next++}`,
        labels: podLabels,
        ownerReferences: [controller(deployments, deployment)],
      },
      spec: { selector: { matchLabels: podLabels }, template: { metadata: { labels: podLabels }, spec } },
    });
    for (let count = 0; count < replicas; count++) await this.#newPod(deployment, replicaSet, isReady);
    await this.#setAvailable(deployment);
  }

  async #newPod(deployment: StoredObject, replicaSet: StoredObject, isReady: boolean): Promise<void> {
    const name = `${replicaSet.metadata.name}-${this.#next++}`;
    const { labels = {} } = replicaSet.metadata;
    const pod = await this.#store.create(pods, site, {
      metadata: {
        name,
        labels,
        annotations: { "k8s.plugin.opnfv.org/nfn-network": nfnNetworks },
        ownerReferences: [controller(replicaSets, replicaSet)],
      },
      spec,
    });
    const podIP = this.#network.newAddress();
    const podIPs = [{ ip: podIP }];
    const start = async (): Promise<void> => {
      this.#network.add(new SimulatedCnf(podIP, this.#password(), this.#clock));
      const startedAt = rfc3339(this.#clock.now());
      const status = { phase: "Running", podIP, podIPs, ...containers(0, startedAt), conditions: [ready(true)] };
      if (!(await this.#patchStatus(pod, status))) this.#network.remove(podIP);
      await this.#setAvailable(deployment);
    };
    if (isReady) await start();
    else this.#later(startMs, start);
  }

  async #setAvailable(deployment: StoredObject): Promise<void> {
    const available = this.podsOf(deployment).filter(isReady).length;
    const status = { replicas: available, readyReplicas: available, availableReplicas: available };
    await this.#patchStatus(deployment, status, deployments);
  }

  async #end(pod: StoredObject): Promise<void> {
    const { namespace = "", name, uid } = pod.metadata;
    if (this.#store.find(pods, { namespace, name })?.metadata.uid !== uid) return;
    await this.#patch(pods, pod, { metadata: { finalizers: ["simulated/kubelet"] } });
    await this.#store.delete(pods, { namespace, name });
    this.#later(goneMs, async () => {
      this.#network.remove(String(pod.status?.podIP));
      await this.#patch(pods, pod, { metadata: { finalizers: null } });
    });
  }

  #owned(resource: ApiResource, owner: StoredObject): readonly StoredObject[] {
    return this.#store
      .list(resource)
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid));
  }

  #ownerOf(resource: ApiResource, { metadata }: StoredObject): StoredObject | undefined {
    const uids = metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
    return this.#store.list(resource).find((each) => uids.includes(each.metadata.uid));
  }

  async #patch(resource: ApiResource, { metadata }: StoredObject, change: object): Promise<StoredObject | undefined> {
    const { namespace = "", name, uid } = metadata;
    if (this.#store.find(resource, { namespace, name })?.metadata.uid !== uid) return undefined;
    return this.#store.patch(resource, { namespace, name }, change);
  }

  async #patchStatus({ metadata }: StoredObject, status: object, resource = pods): Promise<StoredObject | undefined> {
    const { namespace = "", name, uid } = metadata;
    if (this.#store.find(resource, { namespace, name })?.metadata.uid !== uid) return undefined;
    return this.#store.patch(resource, { namespace, name }, { status }, "status");
  }

  async #delete(resource: ApiResource, { metadata: { namespace = "", name } }: StoredObject): Promise<void> {
    if (this.#store.find(resource, { namespace, name })) await this.#store.delete(resource, { namespace, name });
  }

  #later(ms: number, what: () => Promise<void>): void {
    this.#clock.after(ms, () => void what());
  }
}

const controller = (resource: ApiResource, { metadata: { name, uid } }: StoredObject) => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name,
  uid,
  controller: true,
});

const ready = (isReady: boolean) => ({ type: "Ready", status: isReady ? "True" : "False" });

/** Reports whether a pod is ready. */
export const isReady = ({ status }: StoredObject): boolean =>
  ((status?.conditions ?? []) as readonly ReturnType<typeof ready>[]).some((each) => each.status === "True");

const containers = (restartCount: number, startedAt: string | undefined) => ({
  containerStatuses: [
    {
      name: "cnf",
      image: "cnf",
      imageID: "",
      ready: startedAt !== undefined,
      restartCount,
      state: startedAt === undefined ? {} : { running: { startedAt } },
    },
  ],
});

function restartsOf({ status }: StoredObject): number {
  const [first] = (status?.containerStatuses ?? []) as readonly { readonly restartCount?: number }[];
  return first?.restartCount ?? 0;
}

export const replicasOf = ({ spec }: StoredObject): number => Number(spec?.replicas ?? 1);
