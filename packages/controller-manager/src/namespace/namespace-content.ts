import {
  apiVersionOf,
  ignoreNotFound,
  isMethodNotSupported,
  type Kind,
  StaleGroupVersionError,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type DeletableKinds, deletableKinds } from "../discovery/deletable-kinds.ts";
import type { ContentReport } from "./namespace-conditions.ts";

const isPods = ({ group, kind }: Kind): boolean => group === "" && kind === "Pod";

/** Result of {@link emptyNamespace}: the content that remains after the deletion requests, and whether the namespace is empty. */
export type EmptyingResult = ContentReport & { readonly isEmpty: boolean };

/**
 * Deletes all objects in a namespace. Pods are deleted first, other objects only once no pods remain. If the server of
 * a group version does not respond, the namespace does not count as empty, because it may contain objects of this group
 * version.
 *
 * @see kubernetes pkg/controller/namespace/deletion namespaced_resources_deleter.go
 */
export async function emptyNamespace(live: Client, namespace: string): Promise<EmptyingResult> {
  let found: DeletableKinds;
  try {
    found = await deletableKinds(live);
  } catch (error) {
    return { ...nothing, discoveryError: textOf(error), isEmpty: false };
  }
  const { stale } = found;
  const kinds = found.kinds.filter(({ scope }) => scope === "Namespaced");
  const report = new Report(
    stale.length === 0
      ? undefined
      : `Discovery failed for some groups, ${stale.length} failing: ${new StaleGroupVersionError(stale).message}`,
  );
  for (const kind of kinds.filter(isPods)) await report.empty(live, kind, namespace);
  if (report.remaining.size > 0) {
    const { discoveryError, contentErrors } = report;
    return { ...nothing, discoveryError, contentErrors, isEmpty: false };
  }
  await Promise.all(kinds.filter((kind) => !isPods(kind)).map((kind) => report.empty(live, kind, namespace)));
  return report;
}

const nothing: ContentReport = { contentErrors: [], remaining: new Map(), finalizers: new Map() };

class Report implements EmptyingResult {
  readonly discoveryError: string | undefined;
  readonly contentErrors: string[] = [];
  readonly remaining = new Map<string, number>();
  readonly finalizers = new Map<string, number>();

  constructor(discoveryError: string | undefined) {
    this.discoveryError = discoveryError;
  }

  get isEmpty(): boolean {
    return this.discoveryError === undefined && this.remaining.size === 0 && this.contentErrors.length === 0;
  }

  async empty(live: Client, kind: Kind, namespace: string): Promise<void> {
    try {
      const left = await deleteAll(live, kind, namespace);
      if (left.length === 0) return;
      const name = kind.plural ?? "";
      this.remaining.set(`${name}.${kind.group}`, left.length);
      const held = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
      for (const finalizer of held) this.finalizers.set(finalizer, (this.finalizers.get(finalizer) ?? 0) + 1);
      if (held.length === 0 && !isPods(kind))
        this.contentErrors.push(
          `unexpected items still remain in namespace: ${namespace} for gvr: ${apiVersionOf(kind)}, Resource=${name}`,
        );
    } catch (error) {
      this.contentErrors.push(textOf(error));
    }
  }
}

/** Deletes all objects of one kind in a namespace, and returns the objects that remain. */
async function deleteAll(live: Client, kind: Kind, namespace: string) {
  const before = (await live.list(kind, { namespace }).catch(ignoreGoneKind)) ?? [];
  if (before.length === 0) return before;
  await live.deleteCollection(kind, { namespace, propagationPolicy: "Background" }).catch(async (error: unknown) => {
    if (!isMethodNotSupported(error)) return ignoreNotFound(error);
    for (const object of before) await live.delete(kind, object).catch(ignoreNotFound);
    return undefined;
  });
  return (await live.list(kind, { namespace }).catch(ignoreGoneKind)) ?? [];
}

/**
 * Ignores the error that a kind is no longer served, because its CRD was deleted since the discovery and no objects of the kind remain.
 * Rethrows all other errors.
 */
function ignoreGoneKind(error: unknown): undefined {
  return isMethodNotSupported(error) ? undefined : ignoreNotFound(error);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
