import { type DeepReadonly, type KubeObject, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { type Deployment, Pod } from "@kubewright/client/kinds";
import {
  type EventHandler,
  enqueueRequestsFromMapFunc,
  type ObjectEvent,
  type Predicate,
} from "@kubewright/controller";
import { purposeLabel } from "../api/group.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import { deploymentOf } from "../cnf/discovery.ts";
import { byPurpose, bySecret } from "../cnf/indexes.ts";
import { addressesOf, isCurrent, isReady, lifeOf } from "../cnf/pod-state.ts";
import { isPaused } from "../tell/pause.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";

/** Somebody removed a finalizer from an object that is not being deleted: what it is for would stay behind after a deletion. */
export const losesFinalizer: Predicate = (event) => {
  if (event.type !== "update" || event.object.metadata.deletionTimestamp !== undefined) return false;
  const { finalizers = [] } = event.object.metadata;
  return event.old.metadata.finalizers?.some((finalizer) => !finalizers.includes(finalizer)) ?? false;
};

/**
 * Its own changes: of what is wanted, its purpose, the wish to delete it, whether it is paused, the loss of a finalizer, and whether
 * it is another one: who missed a deletion hears of its successor as of an update.
 */
export const ruleMatters: Predicate = (event) => wantedChanged(event) || losesFinalizer(event);

const wantedChanged: Predicate = changed((object) => [
  object.metadata.uid,
  isPaused(object),
  object.metadata.generation,
  object.metadata.deletionTimestamp,
  object.metadata.labels?.[purposeLabel],
]);

/** A Deployment of a CNF came, went, or changed in what it has running. How its pods are attached, they say themselves. */
export const deploymentMatters: Predicate<Deployment> = (event) => labelled(event) && deploymentChanged(event);

const deploymentChanged: Predicate<Deployment> = changed(({ metadata, spec, status }) => [
  metadata.uid,
  metadata.labels?.[purposeLabel],
  metadata.deletionTimestamp,
  spec?.replicas === 0,
  status?.availableReplicas,
  status?.unavailableReplicas,
]);

/** Something of a CNF is new, or gone. */
export const comesOrGoes: Predicate = (event) => labelled(event) && event.type !== "update";

/** A pod of a CNF came, went, got an address, became ready or not, or had a container started again. */
export const cnfPodMatters: Predicate<Pod> = (event) => labelled(event) && podChanged(event);

const podChanged: Predicate<Pod> = changed((pod) => [
  pod.metadata.labels,
  pod.metadata.annotations,
  isCurrent(pod),
  isReady(pod),
  lifeOf(pod),
]);

/** A pod that is no CNF changed in what makes it one of an application's, or in its address. */
export const applicationPodMatters: Predicate<Pod> = (event) => !labelled(event) && applicationPodChanged(event);

const applicationPodChanged: Predicate<Pod> = changed((pod) => [pod.metadata.labels, isCurrent(pod), addressesOf(pod)]);

/** A Secret came, went or got another version: what is in it is in no cache. */
export const secretMatters: Predicate = changed(({ metadata }) => metadata.resourceVersion);

/** The rules of a kind that are for the CNF an object belongs to, by its purpose label. */
export const rulesOfSamePurpose = (kind: CnfKind, scope: CnfScope = everyNamespace): EventHandler =>
  enqueueRequestsFromMapFunc(({ metadata }, { client }) =>
    rulesFor(client, kind, scope, metadata.namespace, metadata.labels?.[purposeLabel]),
  );

/** The rules of a kind that are for the CNF of a pod: by its own label, and by that of its Deployment, which may be another by now. */
export const rulesOfPod = (kind: CnfKind, scope: CnfScope = everyNamespace): EventHandler<Pod> =>
  enqueueRequestsFromMapFunc(async (pod, { client }) => {
    const { namespace, labels } = pod.metadata;
    const deployment = await deploymentOf(client, pod);
    const purposes = new Set([labels?.[purposeLabel], deployment?.metadata.labels?.[purposeLabel]]);
    const rules = [...purposes].map((purpose) => rulesFor(client, kind, scope, namespace, purpose));
    return (await Promise.all(rules)).flat();
  });

/** The rules of a kind that are for CNFs whose pods name a Secret. */
export const rulesOfSecret = (kind: CnfKind, scope: CnfScope = everyNamespace): EventHandler =>
  enqueueRequestsFromMapFunc(async ({ metadata: { namespace, name } }, { client }) => {
    const pods = await client.list(Pod, { namespace, fields: { [bySecret]: name } });
    const purposes = new Set(pods.map(({ metadata: { labels } }) => labels?.[purposeLabel]));
    const rules = [...purposes].map((purpose) => rulesFor(client, kind, scope, namespace, purpose));
    return (await Promise.all(rules)).flat();
  });

/** @param namespace that of the CNF */
async function rulesFor(
  reader: Reader,
  { kind }: CnfKind,
  scope: CnfScope,
  namespace: string | undefined,
  purpose: string | undefined,
): Promise<string[]> {
  if (purpose === undefined) return [];
  const rules = await reader.list(kind, { fields: { [byPurpose]: purpose } });
  return rules.filter(({ metadata }) => scope.allows(metadata.namespace, namespace)).map(keyOf);
}

/** Passes everything but updates in which none of the values changed. */
function changed<T extends KubeObject>(values: (object: DeepReadonly<T>) => unknown): Predicate<T> {
  return (event) =>
    event.type !== "update" || JSON.stringify(values(event.object)) !== JSON.stringify(values(event.old));
}

const labelled = (event: ObjectEvent): boolean =>
  purposeLabel in (event.object.metadata.labels ?? {}) ||
  (event.type === "update" && purposeLabel in (event.old.metadata.labels ?? {}));
