import { findCause } from "../value/find-cause.ts";
import { isErrorWithCode, KubewrightError } from "../value/kubewright-error.ts";
import type { GroupVersionKind, GroupVersionResource, Scope } from "./kind.ts";
import { apiVersionOf, gvkKey } from "./kind.ts";

/** The resource under which a kind's objects are served, and its scope. */
export interface RESTMapping {
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly scope: Scope;
}

/** Thrown if a kind or resource cannot be found on the server or in any other source. */
export class NoMatchError extends KubewrightError {
  override readonly name = "NoMatchError";
  readonly code = "ERR_NO_MATCH";

  /** Returns the error for a kind that is not served: upstream's message, followed by a remedy. */
  static ofKind(
    kind: { readonly group: string; readonly kind: string; readonly version?: string | undefined },
    options?: ErrorOptions,
  ): NoMatchError {
    const { group, version } = kind;
    const where = version ? `version "${apiVersionOf({ group, version })}"` : `group "${group}"`;
    return new NoMatchError(`no matches for kind "${kind.kind}" in ${where}: ${remedyFor(group)}`, options);
  }
}

/**
 * Returns the remedy for an unknown kind. A group whose name contains no dot or ends in `k8s.io` usually belongs to Kubernetes itself,
 * but some CRDs use such names as well.
 */
function remedyFor(group: string): string {
  if (!group.includes(".")) return "this API server does not serve it";
  const definition = "is its CustomResourceDefinition installed? (kubectl apply -f <definition>.yaml)";
  return group.endsWith(".k8s.io") ? `does this API server have it, or ${definition}` : definition;
}

/** Reports whether the error is a {@link NoMatchError} or was caused by one. @see apimachinery api/meta IsNoMatchError */
export const isNoMatch = (error: unknown): boolean =>
  findCause(error, isErrorWithCode<NoMatchError>("ERR_NO_MATCH")) !== undefined;

/**
 * Thrown if the server behind a group version does not respond, so it is unknown whether the kind or resource is
 * served. Unlike {@link NoMatchError}, this error does not prove that the kind does not exist, so do not delete
 * anything because of it.
 *
 * @see client-go discovery StaleGroupVersionError
 */
export class StaleGroupVersionError extends KubewrightError {
  override readonly name = "StaleGroupVersionError";
  readonly code = "ERR_STALE_GROUP_VERSION";
  readonly groupVersions: readonly { readonly group: string; readonly version: string }[];

  /**
   * Creates an error. @param what what was looked up, such as `kind "Flunder"`. If absent, the error refers to all of the server's
   * resources and has client-go's message.
   */
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

/** Reports whether an error is a {@link StaleGroupVersionError}. */
export const isStaleGroupVersionError = isErrorWithCode<StaleGroupVersionError>("ERR_STALE_GROUP_VERSION");

/** Maps kinds to the resources under which they are served, and resource names to kinds. @see apimachinery api/meta RESTMapper */
export interface RESTMapper {
  /**
   * Returns the mapping of a kind. If no version is given, returns the mapping of the preferred version.
   *
   * @throws {NoMatchError} if the kind is unknown
   * @throws {StaleGroupVersionError} if the server of its group version does not respond
   */
  mappingFor(kind: {
    readonly group: string;
    readonly kind: string;
    readonly version?: string | undefined;
  }): Promise<RESTMapping>;
  /**
   * Returns the mapping for a plural, singular or short name (`deploy`, `deployments`, `deployments.apps`,
   * `deployments.v1.apps`).
   *
   * @throws {NoMatchError} if the name is unknown
   * @throws {StaleGroupVersionError} if a server that may serve the name does not respond
   */
  mappingForResource(name: string): Promise<RESTMapping>;
}

/** A mapping with alternative names that are accepted on command lines. */
export interface StaticRESTMapping extends RESTMapping {
  /** Singular name, such as `deployment`. Default: the lower-case kind. */
  readonly singular?: string | undefined;
  /** Short names, such as `deploy`. Default: none. */
  readonly shortNames?: readonly string[] | undefined;
}

/** A mapper with a fixed set of mappings. If a kind has several versions, the version that was added first is preferred. */
export class StaticRESTMapper implements RESTMapper {
  readonly #mappings: StaticRESTMapping[] = [];

  constructor(mappings: Iterable<StaticRESTMapping> = []) {
    for (const mapping of mappings) this.add(mapping);
  }

  /** Adds a mapping. It replaces an existing mapping for the same group, version and kind. */
  add(mapping: StaticRESTMapping): void {
    const position = this.#mappings.findIndex((known) => gvkKey(known.gvk) === gvkKey(mapping.gvk));
    if (position < 0) this.#mappings.push(mapping);
    else this.#mappings[position] = mapping;
  }

  async mappingFor(kind: {
    readonly group: string;
    readonly kind: string;
    readonly version?: string | undefined;
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

/**
 * Returns the English plural of a kind in lower case, such as `policies`, `gateways`, `ingresses` or `boxes`. For `Endpoints`, this is
 * `endpoints`.
 */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === "endpoints") return singular;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/**
 * Returns a kind's mapping without querying a server. The plural defaults to the kind's English plural, and the scope
 * to `Namespaced`.
 */
export function mappingOf(
  kind: GroupVersionKind & { readonly plural?: string | undefined; readonly scope?: Scope | undefined },
): StaticRESTMapping {
  const { group, version } = kind;
  return {
    gvk: { group, version, kind: kind.kind },
    gvr: { group, version, resource: kind.plural ?? pluralOf(kind.kind) },
    scope: kind.scope ?? "Namespaced",
  };
}
