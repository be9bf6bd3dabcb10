import { type DeepReadonly, type KubeObject, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { type Deployment, Pod } from "@kubewright/client/kinds";
import {
  type EventHandler,
  enqueueRequestsFromMapFunc,
  type ObjectEvent,
  type Predicate,
} from "@kubewright/controller";
import {
  confirmAnnotation,
  orderAnnotation,
  probeAnnotation,
  purposeLabel,
  releaseAnnotation,
  retryAnnotation,
  stageAnnotation,
} from "../api/group.ts";
import { isPaused } from "../api/pause.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import { deploymentOf } from "../cnf/discovery.ts";
import { byPurpose, bySecret } from "../cnf/indexes.ts";
import { addressesOf, isCurrent, isReady, lifeOf } from "../cnf/pod-state.ts";
import { traitsForOthers } from "../effect/effects.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { fileOrder, orderOf, orderProblem } from "../uci/order.ts";

/**
 * Accepts updates that removed a finalizer from an object that is not being deleted. Without the finalizer, deleting
 * the object would leave the object on the CNF behind.
 */
export const losesFinalizer: Predicate = (event) => {
  if (event.type !== "update" || event.object.metadata.deletionTimestamp !== undefined) return false;
  const { finalizers = [] } = event.object.metadata;
  return event.old.metadata.finalizers?.some((finalizer) => !finalizers.includes(finalizer)) ?? false;
};

/**
 * Accepts events that change a rule's spec, purpose, order, deletion, pause, retry, release or finalizer. Also accepts
 * updates that replace a rule, because an informer that missed a deletion reports the new rule with the same name as an
 * update.
 */
export const ruleMatters: Predicate = (event) => specChanged(event) || losesFinalizer(event);

const specChanged: Predicate = changed((object) => [
  object.metadata.uid,
  isPaused(object),
  object.metadata.generation,
  object.metadata.deletionTimestamp,
  object.metadata.labels?.[purposeLabel],
  object.metadata.annotations?.[orderAnnotation],
  object.metadata.annotations?.[retryAnnotation],
  object.metadata.annotations?.[releaseAnnotation],
]);

/**
 * Accepts events that change a rule, zone or policy in a way that affects which packets reach other rules. A new object
 * affects others only once it is on the CNF. Objects that exist at the start are taken into account when the others are
 * reconciled.
 */
export function effectMatters(kind: CnfKind): Predicate<RuleObject> {
  const hasChanged: Predicate<RuleObject> = changed((object) => traitsForOthers(kind, object));
  return (event) => event.type !== "create" && hasChanged(event);
}

/**
 * Accepts events for CNF Deployments that were created or deleted, or whose running pods or probes changed. Networks
 * are determined by the pods themselves.
 */
export const deploymentMatters: Predicate<Deployment> = (event) => labelled(event) && deploymentChanged(event);

const deploymentChanged: Predicate<Deployment> = changed(({ metadata, spec, status }) => [
  metadata.uid,
  metadata.labels?.[purposeLabel],
  metadata.annotations?.[confirmAnnotation],
  metadata.annotations?.[probeAnnotation],
  metadata.annotations?.[stageAnnotation],
  metadata.deletionTimestamp,
  spec?.replicas === 0,
  status?.availableReplicas,
  status?.unavailableReplicas,
]);

/** Accepts only the creation and deletion of objects that belong to CNFs. */
export const comesOrGoes: Predicate = (event) => labelled(event) && event.type !== "update";

/**
 * Accepts events for CNF pods that were created or deleted, received an address, changed their readiness, or had a
 * container restart.
 */
export const cnfPodMatters: Predicate<Pod> = (event) => labelled(event) && podChanged(event);

const podChanged: Predicate<Pod> = changed((pod) => [
  pod.metadata.labels,
  pod.metadata.annotations,
  isCurrent(pod),
  isReady(pod),
  lifeOf(pod),
]);

/** Accepts changes to other pods that affect their addresses or the fields by which applications select them. */
export const applicationPodMatters: Predicate<Pod> = (event) => !labelled(event) && applicationPodChanged(event);

const applicationPodChanged: Predicate<Pod> = changed((pod) => [pod.metadata.labels, isCurrent(pod), addressesOf(pod)]);

/**
 * Accepts events for Secrets that were created, deleted or changed. Changes are detected by version, because caches do
 * not contain the data.
 */
export const secretMatters: Predicate = changed(({ metadata }) => metadata.resourceVersion);

/** Maps an object that belongs to a CNF to the rules of a kind with the same purpose label. */
export const rulesOfSamePurpose = (kind: CnfKind, scope: CnfScope = everyNamespace): EventHandler =>
  enqueueRequestsFromMapFunc(({ metadata }, { client }) =>
    rulesFor(client, kind, scope, metadata.namespace, metadata.labels?.[purposeLabel]),
  );

/**
 * Maps a pod to the rules of a kind for its CNF. Uses both the pod's label and its Deployment's label, which may differ
 * by now.
 */
export const rulesOfPod = (kind: CnfKind, scope: CnfScope = everyNamespace): EventHandler<Pod> =>
  enqueueRequestsFromMapFunc(async (pod, { client }) => {
    const { namespace, labels } = pod.metadata;
    const deployment = await deploymentOf(client, pod);
    const purposes = new Set([labels?.[purposeLabel], deployment?.metadata.labels?.[purposeLabel]]);
    const rules = [...purposes].map((purpose) => rulesFor(client, kind, scope, namespace, purpose));
    return (await Promise.all(rules)).flat();
  });

/** Maps a Secret to the rules of a kind for those CNFs whose pods refer to the Secret. */
export const rulesOfSecret = (kind: CnfKind, scope: CnfScope = everyNamespace): EventHandler =>
  enqueueRequestsFromMapFunc(async ({ metadata: { namespace, name } }, { client }) => {
    const pods = await client.list(Pod, { namespace, fields: { [bySecret]: name } });
    const purposes = new Set(pods.map(({ metadata: { labels } }) => labels?.[purposeLabel]));
    const rules = [...purposes].map((purpose) => rulesFor(client, kind, scope, namespace, purpose));
    return (await Promise.all(rules)).flat();
  });

/**
 * Returns the rules of a kind with a purpose that may configure a CNF, in the order in which the CNF must have them, so that few of them
 * must be written twice.
 *
 * @param namespace namespace of the CNF
 */
async function rulesFor(
  reader: Reader,
  { kind, precedence }: CnfKind,
  scope: CnfScope,
  namespace: string | undefined,
  purpose: string | undefined,
): Promise<string[]> {
  if (purpose === undefined) return [];
  const rules = await reader.list(kind, { fields: { [byPurpose]: purpose } });
  const allowed = rules.filter(({ metadata }) => scope.allows(metadata.namespace, namespace));
  if (!precedence) return allowed.map(keyOf);
  const compare = fileOrder(precedence);
  const valid = allowed.flatMap((rule) => (orderProblem(rule) === undefined ? [{ rule, order: orderOf(rule) }] : []));
  const sorted = valid.sort((a, b) => compare(a.order, b.order)).map(({ rule }) => rule);
  return [...new Set([...sorted, ...allowed])].map(keyOf);
}

/** Accepts everything except updates in which none of the values changed. */
function changed<T extends KubeObject>(values: (object: DeepReadonly<T>) => unknown): Predicate<T> {
  return (event) =>
    event.type !== "update" || JSON.stringify(values(event.object)) !== JSON.stringify(values(event.old));
}

const labelled = (event: ObjectEvent): boolean =>
  purposeLabel in (event.object.metadata.labels ?? {}) ||
  (event.type === "update" && purposeLabel in (event.old.metadata.labels ?? {}));
