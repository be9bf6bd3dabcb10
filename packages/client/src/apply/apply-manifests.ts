import { isNoMatch, isNotFound, type Kind, kindOf, type Unstructured, withIntegersOf } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Client } from "../calls/client.ts";
import { conflictsOf, explainConflicts } from "./apply-conflict.ts";
import { definitionRank, ordered, rankOf } from "./apply-order.ts";
import { ApplySet, type ApplySetName, contentsOf, joined, memberLabel, type SetContents } from "./apply-set.ts";
import { type Manifest, nameOf } from "./manifest.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** How {@link applyManifests} applies, deletes and waits. */
export interface ApplyManifestsOptions {
  /** Who owns the fields. Default `kubewright`. */
  readonly fieldOwner?: string | undefined;
  /** Take fields over from other owners. Default false. */
  readonly force?: boolean | undefined;
  /** The server validates and answers, but stores nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Where objects are that name no namespace. Default `default`. */
  readonly namespace?: string | undefined;
  /** Objects that name another than `namespace` are refused. Default false. */
  readonly onlyNamespace?: boolean | undefined;
  /** Delete what this set once had and does not have any more. Default: nothing is deleted. */
  readonly prune?: ApplySetName | undefined;
  /**
   * Called with each object before it is applied, in order: what it returns is applied, and what it throws is why the object failed.
   * Not called in a dry run.
   */
  readonly before?: ((object: Unstructured) => Promise<Unstructured>) | undefined;
  /** Wait until what was applied is ready. Default false. */
  readonly wait?: boolean | undefined;
  /** How long all of it is waited for. Default 60,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** Once it aborts, calls under way are given up. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** What became of one object. */
export interface ApplyResult {
  readonly outcome: "applied" | "pruned" | "ready" | "skipped" | "failed";
  /** `deployment.apps/web in shop` */
  readonly name: string;
  /** Where it was written; empty for what was pruned. */
  readonly source: string;
  /** As the server answered it. */
  readonly object?: Unstructured | undefined;
  /** Why it failed or was skipped. */
  readonly reason?: string | undefined;
  readonly error?: unknown;
}

/** How long new definitions are waited for before their objects come. */
const defaultTimeoutMs = 60_000;

/**
 * Applies objects server-side, each by itself: namespaces first, then definitions until they are served, webhook configurations last.
 * One that fails does not keep others from being applied; each is told of as it is done. With `prune` nothing is deleted unless
 * everything was applied.
 *
 * @throws {Error} if the applyset is another tool's; else failures are results
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
  const told: SetContents[] = before ? [before] : [];
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
        const contents = joined(told.at(-1) ?? nothing, contentsOf([member]));
        if (!isSame(contents, told.at(-1)) || told.length === 1) {
          if (!dryRun) await set.say(contents);
          told.push(contents);
        }
      }
      const answer = await own.apply(kind, member, { force: options.force, signal });
      applied.push({ kind, object: answer, source });
      yield { outcome: "applied", name, source, object: answer };
      // Objects of a new kind come after it.
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
      told: told.at(-1) ?? nothing,
      applied: applied.map(({ object }) => object),
      isWhole,
      dryRun,
    });
}

const nothing: SetContents = { groupKinds: [], namespaces: [] };

interface Pruning {
  readonly told: SetContents;
  readonly applied: readonly Unstructured[];
  readonly isWhole: boolean;
  readonly dryRun: boolean;
}

async function* prune(
  client: Client,
  set: ApplySet,
  { told, applied, isWhole, dryRun }: Pruning,
): AsyncGenerator<ApplyResult> {
  const keep = new Set(applied.map(({ metadata }) => metadata.uid ?? ""));
  if (!isWhole) {
    yield {
      outcome: "skipped",
      name: "pruning",
      source: "",
      reason: "not everything was applied, so nothing is deleted",
    };
    return;
  }
  let isClean = true;
  for (const { kind, object } of await set.strays(told, keep)) {
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
  if (isClean && !dryRun) await set.say(contentsOf(applied));
}

/** The kind as the server has it, and the object in its namespace. */
async function placed(
  client: Client,
  object: Unstructured,
  { namespace = "default", onlyNamespace = false }: ApplyManifestsOptions,
): Promise<{ readonly kind: Kind<Unstructured>; readonly object: Unstructured }> {
  const { gvk, gvr, scope } = await client.mapper.mappingFor(kindOf(object));
  const kind: Kind<Unstructured> = { ...gvk, plural: gvr.resource, scope };
  const { namespace: said, ...metadata } = object.metadata;
  if (scope === "Cluster") return { kind, object: withIntegersOf(object, { ...object, metadata }) };
  if (onlyNamespace && said !== undefined && said !== namespace)
    throw new Error(
      `metadata.namespace: ${JSON.stringify(said)}: only ${JSON.stringify(namespace)} is to be written to`,
    );
  const inNamespace = { ...object, metadata: { ...metadata, namespace: said ?? namespace } };
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
  /** `group/Kind` of definitions. */
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

/** A dry run stores neither namespaces nor definitions, so what needs them cannot be tried. */
function onlyInThisRun(error: unknown, object: Unstructured, { namespaces, defined }: NamesInRun): string | undefined {
  const { group, kind } = kindOf(object);
  if (isNoMatch(error) && defined.has(`${group}/${kind}`)) return "its definition is only in this dry run";
  const { namespace } = object.metadata;
  if (isNotFound(error) && namespace !== undefined && namespaces.has(namespace))
    return "its namespace is only in this dry run";
  return undefined;
}
