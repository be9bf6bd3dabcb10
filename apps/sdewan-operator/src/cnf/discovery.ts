import { byKey, type DeepReadonly, ignoreNotFound, isObjectName, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { purposeLabel, stageAnnotation } from "../api/group.ts";
import { type CnfScope, everyNamespace } from "./cnf-scope.ts";
import { byController, byPurpose } from "./indexes.ts";
import { isCurrent } from "./pod-state.ts";
import { type CnfStage, stageOf, stageProblem, stageTextOf } from "./stages.ts";

/** The CNF with a certain purpose: its Deployment and its current pods, sorted by name. */
export interface Cnf {
  /**
   * Deployment of the CNF. If the CNF has several Deployments with stages, this is the first one of the lowest stage.
   */
  readonly deployment: DeepReadonly<Deployment>;
  readonly pods: readonly DeepReadonly<Pod>[];
  /** The pods, grouped by stage, with the lowest stage first. Undefined if the Deployment has no valid stage. */
  readonly stages?: readonly CnfStage[];
  /** Error for a malformed stage. */
  readonly stageProblem?: string;
}

/** The purpose and namespace of the CNF to which an object belongs. */
export interface Place {
  /** Namespace of the CNF. Undefined means any. */
  readonly namespace?: string | undefined;
  readonly purpose: string | undefined;
}

/** A resource that needs a CNF, and the scope in which to search for it. */
export interface SearchScope {
  readonly namespace: string | undefined;
  readonly scope: CnfScope;
}

/** Thrown if several Deployments have the same purpose. */
export class AmbiguousCnfError extends Error {
  override readonly name = "AmbiguousCnfError";
}

/** Thrown if a CNF has the requested purpose, but its namespace is out of scope. */
export class CnfOutOfScopeError extends Error {
  override readonly name = "CnfOutOfScopeError";
}

/** Finalizer of an object that is deleted without its dependents. */
const orphaning = "orphan";

const anywhere: SearchScope = { namespace: undefined, scope: everyNamespace };

/**
 * Finds the CNF with a purpose within the scope. Several Deployments in one namespace form one CNF if each of them has
 * a stage. Their pods are found by following owner references from the Deployment to ReplicaSets and pods.
 *
 * @returns undefined if no Deployment has the purpose
 * @throws {AmbiguousCnfError} if several Deployments in scope have the purpose
 * @throws {CnfOutOfScopeError} if only Deployments out of scope have the purpose
 */
export async function findCnf(
  reader: Reader,
  purpose: string | undefined,
  searchScope: SearchScope = anywhere,
): Promise<Cnf | undefined> {
  if (purpose === undefined) return undefined;
  const labelled = (await reader.list(Deployment, { fields: { [byPurpose]: purpose } })).toSorted(byKey);
  const active = labelled.filter(({ metadata }) => !metadata.deletionTimestamp);
  const [deployment, ...others] = active.filter(({ metadata }) => isInSearchScope(searchScope, metadata));
  if (!deployment && active.length > 0)
    throw new CnfOutOfScopeError(
      `No CNF that this resource may configure has the purpose ${purpose}: ${searchScope.scope.reason}`,
    );
  if (!deployment) return undefined;
  if (others.length > 0) return stagedCnf(reader, [deployment, ...others]);
  const pods = (await podsOf(reader, deployment)).filter(isCurrent).toSorted(byKey);
  const [stage, problem] = [stageOf(deployment), stageProblem(deployment)];
  return {
    deployment,
    pods,
    ...(stage === undefined ? {} : { stages: [{ stage, pods }] }),
    ...(problem === undefined ? {} : { stageProblem: problem }),
  };
}

/**
 * Returns several Deployments with the same purpose as one CNF.
 *
 * @throws {AmbiguousCnfError} unless each has a stage, and all are in one namespace
 */
async function stagedCnf(reader: Reader, deployments: readonly DeepReadonly<Deployment>[]): Promise<Cnf> {
  const refuse = (why = ""): never => {
    throw new AmbiguousCnfError(`More than one deployment exists: ${namesOf(deployments)}${why}`);
  };
  if (deployments.every((each) => stageTextOf(each) === undefined)) refuse();
  if (new Set(deployments.map(({ metadata }) => metadata.namespace)).size > 1)
    refuse("; put them into one namespace to configure them in stages");
  const problem = deployments.map(stageProblem).find((each) => each !== undefined);
  if (problem !== undefined) refuse(`; ${problem}`);
  const unstaged = deployments.filter((each) => stageOf(each) === undefined);
  if (unstaged.length > 0) refuse(`; add the annotation ${stageAnnotation} to ${namesOf(unstaged)}`);
  const byStage = Map.groupBy(deployments, (each) => stageOf(each) ?? 0);
  const stages: CnfStage[] = [];
  for (const [stage, of] of [...byStage].toSorted(([a], [b]) => a - b)) {
    const pods = (await Promise.all(of.map((each) => podsOf(reader, each)))).flat();
    stages.push({ stage, pods: pods.filter(isCurrent).toSorted(byKey) });
  }
  const [{ stage: lowest } = { stage: 0 }] = stages;
  const [deployment = refuse()] = byStage.get(lowest) ?? [];
  return { deployment, pods: stages.flatMap(({ pods }) => pods).toSorted(byKey), stages };
}

/** Pods that have a purpose's label but do not belong to a current CNF with that purpose. */
export interface FormerPods {
  /** Pods whose Deployment has a different purpose or no purpose now, with the new purpose. */
  readonly relabelled: readonly { readonly pod: DeepReadonly<Pod>; readonly purpose: string | undefined }[];
  /** Pods orphaned by the deletion of their Deployment. */
  readonly orphaned: readonly DeepReadonly<Pod>[];
}

/**
 * Finds pods of a former CNF, left behind because their Deployment's purpose changed or the Deployment was deleted
 * without its pods.
 */
export async function findFormerPods(reader: Reader, purpose: string, searchScope: SearchScope): Promise<FormerPods> {
  const labelled = (await reader.list(Pod, { fields: { [byPurpose]: purpose } })).toSorted(byKey);
  const relabelled: { pod: DeepReadonly<Pod>; purpose: string | undefined }[] = [];
  const orphaned: DeepReadonly<Pod>[] = [];
  for (const pod of labelled.filter(
    (each) => isInSearchScope(searchScope, each.metadata) && isCurrent(each) && each.status?.podIP,
  )) {
    const replicaSet = await controllerIn(reader, ReplicaSet, "ReplicaSet", pod);
    if (!replicaSet) continue; // an unrelated pod: no CNF ever ran in it
    const deployment = await controllerIn(reader, Deployment, "Deployment", replicaSet);
    // A pod that still has an owner is deleted together with that owner.
    if (!hasController(replicaSet) || deployment?.metadata.finalizers?.includes(orphaning)) orphaned.push(pod);
    else if (
      deployment &&
      !deployment.metadata.deletionTimestamp &&
      deployment.metadata.labels?.[purposeLabel] !== purpose
    )
      relabelled.push({ pod, purpose: deployment.metadata.labels?.[purposeLabel] });
  }
  return { relabelled, orphaned };
}

/** Returns the Deployment that runs a pod, if any. */
export async function deploymentOf(
  reader: Reader,
  pod: DeepReadonly<Pod>,
): Promise<DeepReadonly<Deployment> | undefined> {
  const replicaSet = await controllerIn(reader, ReplicaSet, "ReplicaSet", pod);
  return replicaSet && controllerIn(reader, Deployment, "Deployment", replicaSet);
}

async function podsOf(reader: Reader, { metadata }: DeepReadonly<Deployment>): Promise<readonly DeepReadonly<Pod>[]> {
  const { namespace } = metadata;
  const controlledBy = (uid: string | undefined) => ({ namespace, fields: { [byController]: uid ?? "" } });
  const replicaSets = await reader.list(ReplicaSet, controlledBy(metadata.uid));
  const pods = await Promise.all(replicaSets.map((owner) => reader.list(Pod, controlledBy(owner.metadata.uid))));
  return pods.flat();
}

type Owned = DeepReadonly<ReplicaSet | Pod>;

async function controllerIn<T extends ReplicaSet | Deployment>(
  reader: Reader,
  kind: Parameters<typeof reader.get<T>>[0],
  name: string,
  { metadata }: Owned,
): Promise<DeepReadonly<T> | undefined> {
  const owner = metadata.ownerReferences?.find(({ controller, kind: of }) => controller && of === name);
  if (!owner || !isObjectName(owner.name)) return undefined;
  const found = await reader.get(kind, { namespace: metadata.namespace, name: owner.name }).catch(ignoreNotFound);
  return found?.metadata.uid === owner.uid ? found : undefined;
}

const hasController = ({ metadata }: Owned): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller) ?? false;

const isInSearchScope = ({ namespace, scope }: SearchScope, of: { readonly namespace?: string }): boolean =>
  scope.allows(namespace, of.namespace);

const namesOf = (deployments: readonly DeepReadonly<Deployment>[]): string =>
  deployments.slice(0, 5).map(keyOf).join(", ") + (deployments.length > 5 ? ` and ${deployments.length - 5} more` : "");
