import { type DefinedKind, isStatusError, type KubeObject, keyOf, type Unstructured } from "@kubewright/apimachinery";
import { type Manifests, readManifests } from "@kubewright/client/apply";
import { type Clock, systemClock } from "@kubewright/clock";
import { group, version } from "../api/group.ts";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { PlannedObject } from "./plan.ts";

/** The objects in files, and the names of objects that are not part of the plan because they do not configure CNFs. */
export interface PlanFiles {
  readonly objects: readonly PlannedObject[];
  readonly ignored: readonly string[];
}

/** Thrown for files that cannot be planned. The message contains the file, the field and the remedy. */
export class PlanInputError extends Error {
  override readonly name = "PlanInputError";
}

const maxObjects = 10_000;
/** Time after which files are no longer read, because a pipe may never end. */
const deadlineMs = 30_000;
const defaultNamespace = "default";
/** Files in folders of manifests that need not contain Kubernetes objects. */
const kustomization = /(^|[\\/])kustomization\.ya?ml$/;

/**
 * Reads the objects in files and folders, and validates them as the API server would.
 *
 * @param labels labels that an object must have
 * @throws {PlanInputError} for files that cannot be planned
 */
export async function readPlanFiles(
  paths: readonly string[],
  labels: Readonly<Record<string, string>>,
  clock: Clock = systemClock,
): Promise<PlanFiles> {
  const end = new AbortController();
  const timer = clock.after(deadlineMs, () => end.abort(), { unref: true });
  const found = await readManifests({ files: paths, recursive: true }, { signal: end.signal });
  timer.cancel();
  return plannedObjects(found, labels);
}

/**
 * Validates the objects in manifests as the API server would.
 *
 * @param labels labels that an object must have
 * @param most maximum number of objects. Default 10,000
 * @throws {PlanInputError} for manifests that cannot be planned
 */
export function plannedObjects(
  { manifests, unreadable }: Manifests,
  labels: Readonly<Record<string, string>>,
  most = maxObjects,
): PlanFiles {
  const failure = unreadable.find(({ source }) => !kustomization.test(source));
  if (failure) throw new PlanInputError(`cannot read ${failure.source}: ${failure.error.message}`);
  if (manifests.length > most)
    throw new PlanInputError(`${manifests.length} objects are too many; plan at most ${most} at once`);
  const objects = new Map<string, PlannedObject>();
  const ignored: string[] = [];
  for (const { object, source } of manifests) {
    if (isKustomization(object)) continue;
    if (Object.entries(labels).some(([key, value]) => object.metadata.labels?.[key] !== value)) continue;
    const planned = plannedIn(source, object);
    const name = `${object.kind} ${keyOf(withNamespace(object))}`;
    if (!planned) ignored.push(name);
    else if (objects.has(name)) throw new PlanInputError(`${source}: ${name} occurs twice; remove one of the two`);
    else objects.set(name, planned);
  }
  return { objects: [...objects.values()], ignored };
}

const isKustomization = ({ apiVersion }: Unstructured): boolean => apiVersion.startsWith("kustomize.config.k8s.io/");

/** The kinds that a plan contains because their objects configure CNFs. */
export const plannedKinds: readonly DefinedKind[] = [...ruleKinds, ...compositeKinds].map(({ kind }) => kind);
const planned = new Set<string>(plannedKinds.map(({ kind }) => kind));

/** Returns the validated object, or undefined if a plan does not contain its kind. */
function plannedIn(file: string, manifest: Unstructured): PlannedObject | undefined {
  const { apiVersion, kind: name } = manifest;
  if (apiVersion.split("/")[0] !== group) return undefined;
  if (apiVersion !== `${group}/${version}`)
    throw new PlanInputError(`${file}: apiVersion ${apiVersion} is not served; use ${group}/${version}`);
  const kind = apiKinds.find((each) => each.kind === name);
  if (!kind) {
    const known = apiKinds.map((each) => each.kind).join(", ");
    throw new PlanInputError(
      `${file}: ${JSON.stringify(name.slice(0, 64))} is not a kind of ${group}; use one of ${known}`,
    );
  }
  if (!planned.has(name)) return undefined;
  try {
    return { kind, object: kind.parse(withNamespace(manifest)) };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    throw new PlanInputError(`${file}: ${error.message}`);
  }
}

const withNamespace = <T extends KubeObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: object.metadata.namespace ?? defaultNamespace },
});
