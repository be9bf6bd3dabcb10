import { type Clock, rfc3339 } from "@kubewright/clock";
import type { CnfNetwork } from "../network/cnf-network.ts";
import { networks, SimulatedCnf } from "../network/simulated-cnf.ts";
import { type ApiResource, apiVersionOf, deployments, pods, replicaSets } from "./api-resource.ts";
import type { ApiStore } from "./api-store.ts";
import type { StoredObject } from "./stored-object.ts";

export const purposeLabel = "sdewanPurpose";
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

const startMs = 2_000;
const goneMs = 3_000;

/** Simulates Kubernetes' handling of CNF Deployments and their pods, with a CNF in each, and of application pods. */
export class Workloads {
  readonly #store: ApiStore;
  readonly #network: CnfNetwork;
  readonly #clock: Clock;
  readonly #password: () => string;
  #next = 1;

  constructor(parts: {
    readonly store: ApiStore;
    readonly network: CnfNetwork;
    readonly clock: Clock;
    readonly password: () => string;
  }) {
    this.#store = parts.store;
    this.#network = parts.network;
    this.#clock = parts.clock;
    this.#password = parts.password;
  }

  /** Creates a Deployment with ready pods. */
  deploy(name: string, purpose: string, replicas: number): void {
    const labels = { [purposeLabel]: purpose, "cnf-account-secret": accountSecret };
    const deployment = this.#store.create(deployments, site, {
      metadata: { name, labels },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations: { "k8s.plugin.opnfv.org/nfn-network": nfnNetworks } } },
      },
    });
    this.#newReplicaSet(deployment, replicas, true);
  }

  /** Simulates a new template: creates a new ReplicaSet with new pods, and deletes the old ones. */
  rollOut(deployment: StoredObject): void {
    const old = this.podsOf(deployment);
    this.#newReplicaSet(deployment, replicasOf(deployment), false);
    for (const pod of old) this.#end(pod);
  }

  scale(deployment: StoredObject, replicas: number): void {
    const current = this.podsOf(deployment);
    this.#patch(deployments, deployment, { spec: { replicas } });
    for (const pod of current.slice(replicas)) this.#end(pod);
    const [replicaSet] = this.#owned(replicaSets, deployment).toReversed();
    for (let count = current.length; replicaSet && count < replicas; count++)
      this.#newPod(deployment, replicaSet, false);
    this.#setAvailable(deployment);
  }

  /** Replaces one pod. */
  replace(pod: StoredObject): void {
    const replicaSet = this.#ownerOf(replicaSets, pod);
    const deployment = replicaSet && this.#ownerOf(deployments, replicaSet);
    this.#end(pod);
    if (replicaSet && deployment) this.#newPod(deployment, replicaSet, false);
  }

  /** Restarts the container of a pod: its CNF is empty, and unreachable for a moment. */
  restartContainer(pod: StoredObject): void {
    const cnf = this.cnfIn(pod);
    if (!cnf) return;
    cnf.restart();
    cnf.isUnreachable = true;
    const restarts = restartsOf(pod) + 1;
    this.#patchStatus(pod, { ...containers(restarts, undefined), conditions: [ready(false)] });
    const deployment = this.deploymentOf(pod);
    if (deployment) this.#setAvailable(deployment);
    this.#later(startMs, () => {
      cnf.isUnreachable = false;
      const startedAt = rfc3339(this.#clock.now());
      this.#patchStatus(pod, { ...containers(restarts, startedAt), conditions: [ready(true)] });
      if (deployment) this.#setAvailable(deployment);
    });
  }

  /** @param orphan true to keep its pods */
  remove(deployment: StoredObject, { orphan = false } = {}): void {
    if (orphan) {
      const { namespace = "", name } = deployment.metadata;
      this.#patch(deployments, deployment, { metadata: { finalizers: ["orphan"] } });
      this.#store.delete(deployments, { namespace, name });
      for (const replicaSet of this.#owned(replicaSets, deployment))
        this.#patch(replicaSets, replicaSet, { metadata: { ownerReferences: null } });
      this.#patch(deployments, deployment, { metadata: { finalizers: null } });
      return;
    }
    const gone = this.podsOf(deployment);
    this.#delete(deployments, deployment);
    for (const replicaSet of this.#owned(replicaSets, deployment)) this.#delete(replicaSets, replicaSet);
    for (const pod of gone) this.#end(pod);
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
  addApplicationPod(app: string): StoredObject {
    const podIP = this.#network.newAddress();
    this.#network.strangers.add(podIP);
    const name = `${app}-${this.#next++}`;
    const labels = { app };
    const pod = this.#store.create(pods, site, { metadata: { name, labels } });
    return this.#patchStatus(pod, { phase: "Running", podIP, conditions: [ready(true)] }) ?? pod;
  }

  removePod(pod: StoredObject): void {
    this.#delete(pods, pod);
  }

  #newReplicaSet(deployment: StoredObject, replicas: number, isReady: boolean): void {
    const { name, labels = {} } = deployment.metadata;
    const { template } = (deployment.spec ?? {}) as { template?: { metadata?: { labels?: typeof labels } } };
    const replicaSet = this.#store.create(replicaSets, site, {
      metadata: {
        name: `${name}-${this.#next++}`,
        labels: template?.metadata?.labels ?? labels,
        ownerReferences: [controller(deployments, deployment)],
      },
    });
    for (let count = 0; count < replicas; count++) this.#newPod(deployment, replicaSet, isReady);
    this.#setAvailable(deployment);
  }

  #newPod(deployment: StoredObject, replicaSet: StoredObject, isReady: boolean): void {
    const name = `${replicaSet.metadata.name}-${this.#next++}`;
    const { labels = {} } = replicaSet.metadata;
    const pod = this.#store.create(pods, site, {
      metadata: {
        name,
        labels,
        annotations: { "k8s.plugin.opnfv.org/nfn-network": nfnNetworks },
        ownerReferences: [controller(replicaSets, replicaSet)],
      },
      status: { phase: "Pending" },
    });
    const podIP = this.#network.newAddress();
    const start = (): void => {
      this.#network.add(new SimulatedCnf(podIP, this.#password(), this.#clock));
      const startedAt = rfc3339(this.#clock.now());
      const status = { phase: "Running", podIP, ...containers(0, startedAt), conditions: [ready(true)] };
      if (!this.#patchStatus(pod, status)) this.#network.remove(podIP);
      this.#setAvailable(deployment);
    };
    if (isReady) start();
    else this.#later(startMs, start);
  }

  #setAvailable(deployment: StoredObject): void {
    const available = this.podsOf(deployment).filter(isReady).length;
    this.#patchStatus(deployment, { availableReplicas: available }, deployments);
  }

  #end(pod: StoredObject): void {
    const { namespace = "", name, uid } = pod.metadata;
    if (this.#store.find(pods, { namespace, name })?.metadata.uid !== uid) return;
    this.#patch(pods, pod, { metadata: { finalizers: ["simulated/kubelet"] } });
    this.#store.delete(pods, { namespace, name });
    this.#later(goneMs, () => {
      this.#network.remove(String(pod.status?.podIP));
      this.#patch(pods, pod, { metadata: { finalizers: null } });
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

  #patch(resource: ApiResource, { metadata }: StoredObject, change: object): StoredObject | undefined {
    const { namespace = "", name, uid } = metadata;
    if (this.#store.find(resource, { namespace, name })?.metadata.uid !== uid) return undefined;
    return this.#store.patch(resource, { namespace, name }, change);
  }

  #patchStatus({ metadata }: StoredObject, status: object, resource = pods): StoredObject | undefined {
    const { namespace = "", name, uid } = metadata;
    if (this.#store.find(resource, { namespace, name })?.metadata.uid !== uid) return undefined;
    return this.#store.patch(resource, { namespace, name }, { status }, "status");
  }

  #delete(resource: ApiResource, { metadata: { namespace = "", name } }: StoredObject): void {
    if (this.#store.find(resource, { namespace, name })) this.#store.delete(resource, { namespace, name });
  }

  #later(ms: number, what: () => void): void {
    this.#clock.after(ms, what);
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
