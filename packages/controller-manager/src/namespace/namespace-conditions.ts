import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Namespace } from "@kubewright/client/kinds";

type Conditions = NonNullable<NonNullable<DeepReadonly<Namespace>["status"]>["conditions"]>;

/** Result of an attempt to delete a namespace's content. */
export interface ContentReport {
  readonly discoveryError?: string | undefined;
  readonly contentErrors: readonly string[];
  /**
   * Number of remaining objects, keyed by `resource.group`. Empty as long as pods remain, because other objects are not
   * examined until all pods have been deleted.
   */
  readonly remaining: ReadonlyMap<string, number>;
  /** Number of remaining objects, keyed by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

const fine: Readonly<Record<string, readonly [reason: string, message: string]>> = {
  NamespaceDeletionDiscoveryFailure: ["ResourcesDiscovered", "All resources successfully discovered"],
  NamespaceDeletionGroupVersionParsingFailure: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
  NamespaceDeletionContentFailure: [
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  NamespaceContentRemaining: ["ContentRemoved", "All content successfully removed"],
  NamespaceFinalizersRemaining: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
};

/**
 * Returns the conditions of a namespace that is being deleted, or `undefined` if they have not changed.
 *
 * @see kubernetes pkg/controller/namespace/deletion status_condition_utils.go
 */
export function namespaceConditions(
  present: Conditions | undefined,
  report: ContentReport,
  now: string,
): Conditions | undefined {
  const troubles = problemsOf(report);
  let changed = false;
  const conditions = [...(present ?? [])];
  for (const [type, [reason, message]] of Object.entries(fine)) {
    const trouble = troubles[type];
    const next = trouble
      ? { type, status: "True", reason: trouble[0], message: trouble[1] }
      : { type, status: "False", reason, message };
    const at = conditions.findIndex((each) => each.type === type);
    const old = conditions[at];
    if (old && old.status === next.status && old.reason === next.reason && old.message === next.message) continue;
    changed = true;
    const since = old?.status === next.status ? (old.lastTransitionTime ?? now) : now;
    const condition = { ...next, lastTransitionTime: since } as Conditions[number];
    if (old) conditions[at] = condition;
    else conditions.push(condition);
  }
  return changed ? conditions : undefined;
}

function problemsOf({ discoveryError, contentErrors, remaining, finalizers }: ContentReport) {
  const troubles: Record<string, readonly [reason: string, message: string]> = {};
  if (discoveryError !== undefined) troubles.NamespaceDeletionDiscoveryFailure = ["DiscoveryFailed", discoveryError];
  if (contentErrors.length > 0)
    troubles.NamespaceDeletionContentFailure = [
      "ContentDeletionFailed",
      `Failed to delete all resource types, ${contentErrors.length} remaining: ${contentErrors.toSorted().join(", ")}`,
    ];
  if (remaining.size > 0)
    troubles.NamespaceContentRemaining = [
      "SomeResourcesRemain",
      `Some resources are remaining: ${sorted(remaining, (name, count) => `${name} has ${count} resource instances`)}`,
    ];
  if (finalizers.size > 0)
    troubles.NamespaceFinalizersRemaining = [
      "SomeFinalizersRemain",
      `Some content in the namespace has finalizers remaining: ${sorted(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
    ];
  return troubles;
}

const sorted = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string =>
  [...counts]
    .map(([name, count]) => text(name, count))
    .sort()
    .join(", ");
