import { findCause } from "../value/find-cause.ts";
import type { GroupVersionKind, GroupVersionResource, Scope } from "./kind.ts";
import { apiVersionOf, gvkKey } from "./kind.ts";

/** Where the objects of a kind are served. */
export interface RESTMapping {
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly scope: Scope;
}

/** Neither the server nor anybody else knows the kind or resource. */
export class NoMatchError extends Error {
  override readonly name = "NoMatchError";

  /** The error about a kind that is not served, in upstream's words, and what helps. */
  static ofKind(kind: KindInAnyVersion, options?: ErrorOptions): NoMatchError {
    const { group, version } = kind;
    const where = version ? `version "${apiVersionOf({ group, version })}"` : `group "${group}"`;
    return new NoMatchError(`no matches for kind "${kind.kind}" in ${where}: ${remedyFor(group)}`, options);
  }
}

/** A kind; in its preferred version where none is named. */
interface KindInAnyVersion {
  readonly group: string;
  readonly kind: string;
  readonly version?: string | undefined;
}

/** Groups of Kubernetes' own have no dot, or end in `k8s.io`, as do some that come by definitions. */
function remedyFor(group: string): string {
  if (!group.includes(".")) return "this API server does not serve it";
  const definition = "is its CustomResourceDefinition installed? (kubectl apply -f <definition>.yaml)";
  return group.endsWith(".k8s.io") ? `does this API server have it, or ${definition}` : definition;
}

/** Whether an error says so, or was caused by one that does. @see apimachinery api/meta IsNoMatchError */
export const isNoMatch = (error: unknown): boolean =>
  findCause(error, (cause): cause is NoMatchError => cause instanceof NoMatchError) !== undefined;

/**
 * The server behind a group version does not answer, so it is unknown whether it serves the kind or resource. Unlike {@link NoMatchError},
 * this never means that there is nothing: do not delete anything because of it.
 *
 * @see client-go discovery StaleGroupVersionError
 */
export class StaleGroupVersionError extends Error {
  override readonly name = "StaleGroupVersionError";
  readonly groupVersions: readonly { readonly group: string; readonly version: string }[];

  /** @param what was looked up, such as `kind "Flunder"`. Absent: everything that the server serves, in client-go's words */
  constructor(groupVersions: StaleGroupVersionError["groupVersions"], what?: string) {
    const stale = groupVersions.map(apiVersionOf).sort();
    const reasons = stale.map((each) => `${each}: stale GroupVersion discovery: ${each}`).join(", ");
    const services = groupVersions.map(({ group, version }) => `${version}.${group}`).join(", ");
    super(
      what === undefined
        ? `unable to retrieve the complete list of server APIs: ${reasons}`
        : `unable to look up ${what}: ${reasons} (check the server behind APIService ${services})`,
    );
    this.groupVersions = groupVersions;
  }
}

/** Finds where a kind is served, and which kind a resource name means. @see apimachinery api/meta RESTMapper */
export interface RESTMapper {
  /**
   * The mapping of a kind. Without a version, the preferred one.
   *
   * @throws {NoMatchError} if the kind is not known
   * @throws {StaleGroupVersionError} if its group version is served by a server that does not answer
   */
  mappingFor(kind: { readonly group: string; readonly kind: string; readonly version?: string }): Promise<RESTMapping>;
  /**
   * The mapping that a plural, singular or short name (`deploy`, `deployments`, `deployments.apps`, `deployments.v1.apps`) means.
   *
   * @throws {NoMatchError} if the name is not known
   * @throws {StaleGroupVersionError} if a server that does not answer may know it
   */
  mappingForResource(name: string): Promise<RESTMapping>;
}

/** A mapping with the names that people use for it. */
export interface StaticRESTMapping extends RESTMapping {
  /** Such as `deployment`. Default: not known by one. */
  readonly singular?: string;
  /** Such as `deploy`. Default: none. */
  readonly shortNames?: readonly string[];
}

/** A mapper that knows what it was told. Of several versions of a kind, the one added first is preferred. */
export class StaticRESTMapper implements RESTMapper {
  readonly #mappings: StaticRESTMapping[] = [];

  constructor(mappings: Iterable<StaticRESTMapping> = []) {
    for (const mapping of mappings) this.add(mapping);
  }

  /** Learns a mapping; one of the same group, version and kind is replaced. */
  add(mapping: StaticRESTMapping): void {
    const position = this.#mappings.findIndex((known) => gvkKey(known.gvk) === gvkKey(mapping.gvk));
    if (position < 0) this.#mappings.push(mapping);
    else this.#mappings[position] = mapping;
  }

  async mappingFor(kind: {
    readonly group: string;
    readonly kind: string;
    readonly version?: string;
  }): Promise<RESTMapping> {
    const found = this.#mappings.find(
      ({ gvk }) =>
        gvk.group === kind.group && gvk.kind === kind.kind && (!kind.version || gvk.version === kind.version),
    );
    if (found) return found;
    throw NoMatchError.ofKind(kind);
  }

  async mappingForResource(name: string): Promise<RESTMapping> {
    const wanted = name.toLowerCase();
    const found =
      this.#mappings.find((mapping) => fullNames(mapping).includes(wanted)) ??
      this.#mappings.find((mapping) => mapping.shortNames?.includes(wanted));
    if (found) return found;
    throw new NoMatchError(`the server doesn't have a resource type "${name}"`);
  }
}

function fullNames({ gvk, gvr, singular }: StaticRESTMapping): string[] {
  return [gvr.resource, singular ?? gvk.kind.toLowerCase()].flatMap((name) => [
    name,
    ...(gvr.group === "" ? [] : [`${name}.${gvr.group}`]),
    `${name}.${gvr.version}${gvr.group === "" ? "" : `.${gvr.group}`}`,
  ]);
}

/** The usual English plural of a kind, in lower case: `policies`, `gateways`, `ingresses`, `boxes`; `endpoints` stays. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === "endpoints") return singular;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/** The mapping of a kind that says its own plural and scope; the plural is guessed when absent, the scope is `Namespaced`. */
export function mappingOf(
  kind: GroupVersionKind & { readonly plural?: string; readonly scope?: Scope },
): StaticRESTMapping {
  const { group, version } = kind;
  return {
    gvk: { group, version, kind: kind.kind },
    gvr: { group, version, resource: kind.plural ?? pluralOf(kind.kind) },
    scope: kind.scope ?? "Namespaced",
  };
}
