import {
  type DeepReadonly,
  isAlreadyExists,
  jsonEqual,
  type Kind,
  type KubeObject,
  keyOf,
  type ParsedLabelSelector,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { ControllerRevision, type PodTemplateSpec } from "@kubewright/client/kinds";
import { claim } from "./claim.ts";
import { controllerReference } from "./pod-from-template.ts";
import { templateHash } from "./template-hash.ts";

export type Revision = DeepReadonly<ControllerRevision>;

/** Label on a pod with the revision from which the pod was created. */
export const revisionHashLabel = "controller-revision-hash";

/** A workload's template revisions, from the oldest to the current one. */
export interface Revisions {
  readonly all: readonly Revision[];
  readonly update: Revision;
}

/** Returns the data of a revision: a patch that restores the pod template. */
const dataOf = (template: DeepReadonly<PodTemplateSpec>) =>
  sortedByName({ spec: { template: { ...template, $patch: "replace" } } });

/** Returns a value with sorted keys, because clients compare a revision byte by byte with their own rendering, whose keys are sorted. */
function sortedByName<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedByName) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sortedByName(each)])) as T;
}

/** Returns the template that a revision contains. */
export function templateOf({ data }: Revision): DeepReadonly<PodTemplateSpec> | undefined {
  const kept = data as { spec?: { template?: DeepReadonly<PodTemplateSpec> & { $patch?: string } } } | undefined;
  if (!kept?.spec?.template) return undefined;
  const { $patch: _, ...template } = kept.spec.template;
  return template;
}

/**
 * Returns the revisions of a workload, including one for its current template. If a revision for the current template
 * already exists, it gets the highest number; otherwise, a new one is created.
 *
 * @param hashLabel label that identifies a revision
 *
 * @see kubernetes pkg/controller/history
 */
export async function syncRevisions(
  client: ReadWriter,
  kind: Kind,
  owner: DeepReadonly<KubeObject>,
  selector: ParsedLabelSelector,
  template: DeepReadonly<PodTemplateSpec>,
  hashLabel: string = revisionHashLabel,
): Promise<Revisions> {
  const { namespace, name } = owner.metadata;
  const candidates = await client.list(ControllerRevision, { namespace });
  const claimed = await claim(client, ControllerRevision, { kind, object: owner, selector }, candidates);
  const all = claimed.toSorted((a, b) => a.revision - b.revision);
  const next = (all.at(-1)?.revision ?? 0) + 1;
  const data = dataOf(template);
  const same = all.find((revision) => jsonEqual(revision.data ?? null, data));
  if (same) {
    if (same === all.at(-1)) return { all, update: same };
    const renewed = await client.patch(ControllerRevision, keyOf(same), { revision: next });
    return { all: [...all.filter((each) => each !== same), renewed], update: renewed };
  }
  for (let collisions = 0; ; collisions++) {
    const hash = templateHash(template, collisions);
    const labels = { ...template.metadata?.labels, [hashLabel]: hash };
    const metadata = {
      name: `${name}-${hash}`,
      namespace: namespace ?? "",
      labels,
      ...(owner.metadata.annotations ? { annotations: owner.metadata.annotations } : {}),
      ownerReferences: [controllerReference(kind, owner)],
    };
    try {
      const created = await client.create(ControllerRevision, { metadata, data, revision: next });
      return { all: [...all, created], update: created };
    } catch (error) {
      if (!isAlreadyExists(error) || collisions > 5) throw error;
    }
  }
}

/**
 * Deletes the oldest unused revisions if there are more than the limit allows.
 *
 * @param inUse revisions used by pods, identified by the hashes or names in the pods' labels
 */
export async function dropOldRevisions(
  client: ReadWriter,
  { all, update }: Revisions,
  inUse: ReadonlySet<string>,
  limit: number,
): Promise<void> {
  const isUsed = ({ metadata }: Revision): boolean => inUse.has(hashOf(metadata)) || inUse.has(metadata.name);
  const unused = all.filter((revision) => revision.metadata.name !== update.metadata.name && !isUsed(revision));
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit)))
    await client.delete(ControllerRevision, keyOf(revision));
}

export const hashOf = (metadata: DeepReadonly<KubeObject>["metadata"]): string =>
  metadata.labels?.[revisionHashLabel] ?? "";
