import {
  isNoMatch,
  isNotFound,
  type Kind,
  kindOf,
  StatusError,
  type Unstructured,
  withIntegersOf,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Client } from "../calls/client.ts";
import { ApplySet, type ApplySetName, contentsOf, joined, memberLabel, type SetContents } from "./apply-set.ts";
import { type Manifest, nameOf } from "./parse-manifests.ts";
import { waitUntilReady } from "./readiness.ts";

/** Options for {@link applyManifests}. */
export interface ApplyManifestsOptions {
  /** Owner of the fields. Default `kubewright`. */
  readonly fieldOwner?: string | undefined;
  /** True to take ownership of fields from other owners. Default false. */
  readonly force?: boolean | undefined;
  /** True to make the server validate the writes and respond as usual, but store nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Namespace for objects that do not set one. Default `default`. */
  readonly namespace?: string | undefined;
  /** True to reject objects in any namespace other than `namespace`. Default false. */
  readonly onlyNamespace?: boolean | undefined;
  /** Name of an applyset. Objects that the set no longer contains are deleted. Default: nothing is deleted. */
  readonly prune?: ApplySetName | undefined;
  /**
   * Called with each object, in order, before it is applied. The returned object is applied instead. If the call throws, the object fails
   * with that error. Not called in a dry run.
   */
  readonly before?: ((object: Unstructured) => Promise<Unstructured>) | undefined;
  /** True to wait until the applied objects are ready. Default false. */
  readonly wait?: boolean | undefined;
  /** Total time allowed for all waits, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Signal that cancels the calls in progress. */
  readonly signal?: AbortSignal | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The result of applying or deleting one object. */
export interface ApplyResult {
  readonly outcome: "applied" | "pruned" | "ready" | "skipped" | "failed";
  /** Name of the object, such as `deployment.apps/web in shop`. */
  readonly name: string;
  /** Source from which the object was read. Empty for pruned objects. */
  readonly source: string;
  /** Object as returned by the server. */
  readonly object?: Unstructured | undefined;
  /** Reason why the object failed or was skipped. */
  readonly reason?: string | undefined;
  readonly error?: unknown;
}

/** Default time limit for all waits, including the wait for new CRDs to be served. */
const defaultTimeoutMs = 60_000;

/**
 * Applies objects server-side, one by one: namespaces first, then CRDs (and waits until they are served), and webhook
 * configurations last. If an object fails, the others are still applied. Each result is yielded as soon as it is known.
 * With `prune`, objects are deleted only if everything was applied.
 *
 * @throws {Error} if the applyset belongs to another tool; other failures are returned as results
 * @see kubectl apply --server-side --prune --applyset
 */
export async function* applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  options: ApplyManifestsOptions = {},
): AsyncGenerator<ApplyResult, void, undefined> {
  const {
    fieldOwner = "kubewright",
    dryRun = false,
    signal,
    clock = systemClock,
    timeoutMs = defaultTimeoutMs,
  } = options;
  const own = client.with({ fieldOwner, dryRun });
  const deadlineMs = clock.monotonic() + timeoutMs;
  const waiting = { clock, deadlineMs, signal };
  const set = options.prune ? new ApplySet(own, options.prune) : undefined;
  const before = await set?.contents();
  const recorded: SetContents[] = before ? [before] : [];
  const applied: { readonly kind: Kind<Unstructured>; readonly object: Unstructured; readonly source: string }[] = [];
  const inRun = namesInRun(manifests);
  let isWhole = true;
  for (const manifest of ordered(manifests)) {
    signal?.throwIfAborted();
    const { source } = manifest;
    let name = nameOf(manifest.object);
    try {
      const whole = dryRun || !options.before ? manifest.object : await options.before(manifest.object);
      const { kind, object } = await placed(own, whole, options);
      name = nameOf(object);
      const member = set ? labelled(object, set.id) : object;
      if (set) {
        const contents = joined(recorded.at(-1) ?? nothing, contentsOf([member]));
        if (!isSame(contents, recorded.at(-1)) || recorded.length === 1) {
          if (!dryRun) await set.record(contents);
          recorded.push(contents);
        }
      }
      const answer = await own.apply(kind, member, { force: options.force, signal });
      applied.push({ kind, object: answer, source });
      yield { outcome: "applied", name, source, object: answer };
      // Objects of a new kind are applied after their CRD.
      if (rankOf(manifest) === definitionRank && !dryRun) await waitUntilReady(own, kind, answer, waiting);
    } catch (error) {
      signal?.throwIfAborted();
      const skipped = dryRun ? onlyInThisRun(error, manifest.object, inRun) : undefined;
      isWhole &&= skipped !== undefined;
      if (skipped) yield { outcome: "skipped", name, source, reason: skipped };
      else yield { outcome: "failed", name, source, reason: reasonOf(error), error };
    }
  }
  if (options.wait && !dryRun)
    for (const { kind, object, source } of applied) {
      const name = nameOf(object);
      try {
        await waitUntilReady(own, kind, object, waiting);
        yield { outcome: "ready", name, source, object };
      } catch (error) {
        signal?.throwIfAborted();
        isWhole = false;
        yield { outcome: "failed", name, source, reason: reasonOf(error), error };
      }
    }
  if (set)
    yield* prune(own, set, {
      recorded: recorded.at(-1) ?? nothing,
      applied: applied.map(({ object }) => object),
      isWhole,
      dryRun,
    });
}

const nothing: SetContents = { groupKinds: [], namespaces: [] };

interface Pruning {
  readonly recorded: SetContents;
  readonly applied: readonly Unstructured[];
  readonly isWhole: boolean;
  readonly dryRun: boolean;
}

async function* prune(
  client: Client,
  set: ApplySet,
  { recorded, applied, isWhole, dryRun }: Pruning,
): AsyncGenerator<ApplyResult> {
  const keep = new Set(applied.map(({ metadata }) => metadata.uid ?? ""));
  if (!isWhole) {
    yield {
      outcome: "skipped",
      name: "pruning",
      source: "",
      reason: "some objects were not applied, so nothing was deleted",
    };
    return;
  }
  let isClean = true;
  for (const { kind, object } of await set.strays(recorded, keep)) {
    const name = nameOf(object);
    try {
      const { uid } = object.metadata;
      await client.delete(kind, object, { propagationPolicy: "Background", preconditions: { uid } });
      yield { outcome: "pruned", name, source: "" };
    } catch (error) {
      if (isNotFound(error)) continue;
      isClean = false;
      yield { outcome: "failed", name, source: "", reason: `not pruned: ${reasonOf(error)}`, error };
    }
  }
  if (isClean && !dryRun) await set.record(contentsOf(applied));
}

/** Returns the kind under which the server serves the object, and the object with its namespace set. */
async function placed(
  client: Client,
  object: Unstructured,
  { namespace = "default", onlyNamespace = false }: ApplyManifestsOptions,
): Promise<{ readonly kind: Kind<Unstructured>; readonly object: Unstructured }> {
  const { gvk, gvr, scope } = await client.mapper.mappingFor(kindOf(object));
  const kind: Kind<Unstructured> = { ...gvk, plural: gvr.resource, scope };
  const { namespace: ownNamespace, ...metadata } = object.metadata;
  if (scope === "Cluster") return { kind, object: withIntegersOf(object, { ...object, metadata }) };
  if (onlyNamespace && ownNamespace !== undefined && ownNamespace !== namespace)
    throw new Error(
      `metadata.namespace: ${JSON.stringify(ownNamespace)} is not allowed; use ${JSON.stringify(namespace)}`,
    );
  const inNamespace = { ...object, metadata: { ...metadata, namespace: ownNamespace ?? namespace } };
  return { kind, object: withIntegersOf(object, inNamespace) };
}

const labelled = (object: Unstructured, id: string): Unstructured =>
  withIntegersOf(object, {
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [memberLabel]: id } },
  });

const isSame = (a: SetContents, b: SetContents | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

function reasonOf(error: unknown): string {
  const conflicts = conflictsOf(error);
  if (conflicts.length > 0) return explainConflicts(conflicts);
  return error instanceof Error ? error.message : String(error);
}

interface NamesInRun {
  readonly namespaces: ReadonlySet<string>;
  /** Kinds defined by CRDs in this run, as `group/Kind`. */
  readonly defined: ReadonlySet<string>;
}

function namesInRun(manifests: readonly Manifest[]): NamesInRun {
  const objects = manifests.map(({ object }) => object);
  const specs = objects
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .map(({ spec }) => spec as DefinitionSpec);
  return {
    namespaces: new Set(objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name)),
    defined: new Set(specs.map((spec) => `${spec?.group}/${spec?.names?.kind}`)),
  };
}

type DefinitionSpec = { readonly group?: string; readonly names?: { readonly kind?: string } } | undefined;

/**
 * Returns an explanation if an object failed only because a dry run stores neither namespaces nor CRDs, or `undefined`
 * if it failed for another reason.
 */
function onlyInThisRun(error: unknown, object: Unstructured, { namespaces, defined }: NamesInRun): string | undefined {
  const { group, kind } = kindOf(object);
  if (isNoMatch(error) && defined.has(`${group}/${kind}`)) return "its CRD exists only in this dry run";
  const { namespace } = object.metadata;
  if (isNotFound(error) && namespace !== undefined && namespaces.has(namespace))
    return "its namespace exists only in this dry run";
  return undefined;
}

/**
 * Order of application. Objects that others depend on come first. Webhook configurations come last, because their webhooks would be called
 * for every other object.
 */
const ranks: Readonly<Record<string, number>> = {
  Namespace: 0,
  "CustomResourceDefinition.apiextensions.k8s.io": 1,
  "PriorityClass.scheduling.k8s.io": 2,
  "StorageClass.storage.k8s.io": 2,
  ServiceAccount: 3,
  "Role.rbac.authorization.k8s.io": 3,
  "ClusterRole.rbac.authorization.k8s.io": 3,
  "RoleBinding.rbac.authorization.k8s.io": 4,
  "ClusterRoleBinding.rbac.authorization.k8s.io": 4,
  Secret: 5,
  ConfigMap: 5,
  "MutatingWebhookConfiguration.admissionregistration.k8s.io": 8,
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io": 8,
};
/** Rank of all other kinds. */
const usual = 6;
/** Rank of CustomResourceDefinition. */
const definitionRank = 1;

export function rankOf({ object: { apiVersion, kind } }: Manifest): number {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  return ranks[`${kind}${group}`] ?? usual;
}

/**
 * Returns the manifests in the order in which they must be applied. Manifests of equal rank keep their original order.
 */
export const ordered = (manifests: readonly Manifest[]): readonly Manifest[] =>
  [...manifests].sort((a, b) => rankOf(a) - rankOf(b));

/** A field that the apply would change, but that another manager owns. */
export interface FieldConflict {
  /** Path of the field, such as `.spec.replicas`. */
  readonly field: string;
  /** Owner of the field, as reported by the server: `"kubectl" using apps/v1`. */
  readonly manager: string;
}

/**
 * Returns the conflicts that made the server reject an apply, one per field, or an empty array if the apply failed for another reason.
 *
 * @see apimachinery api/errors NewApplyConflict
 */
export function conflictsOf(error: unknown): FieldConflict[] {
  if (!(error instanceof StatusError) || error.reason !== "Conflict") return [];
  return (error.status.details?.causes ?? [])
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({ field, manager: message.replace(/^conflict with /, "") }));
}

/** Returns a message that lists the conflicts, grouped by manager, and suggests remedies. */
export function explainConflicts(conflicts: readonly FieldConflict[]): string {
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager].map(([manager, own]) => `  ${manager} owns ${own.map(({ field }) => field).join(", ")}`);
  return [
    "other managers own fields that this apply would change:",
    ...lines,
    "omit these fields, write their current values to share ownership, or take ownership with force",
  ].join("\n");
}
