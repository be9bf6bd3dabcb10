import type { ServedResource } from "../../registry/resource.ts";
import type { ResourceScope } from "./resource-scope.ts";

/** A group in discovery, with its versions and their resources. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}

/** The resources of a server, each with the scope for its handlers. */
export class ResourceSet {
  readonly #scopes = new Map<string, ResourceScope>();
  readonly #versions = new Map<string, Map<string, ResourceScope[]>>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;

  /** Number that increases with every change, so that derived values can be cached. */
  get generation(): number {
    return this.#generation;
  }

  /** Registers a listener, which is called after every change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(scope: ResourceScope): void {
    const { group, version, resource } = scope.resource;
    this.#scopes.set(keyOf(group, version, resource), scope);
    this.#rebuild();
  }

  remove(resource: ServedResource): void {
    if (this.#scopes.delete(keyOf(resource.group, resource.version, resource.resource))) this.#rebuild();
  }

  /** Adds several scopes as one change. */
  addAll(scopes: Iterable<ResourceScope>): void {
    for (const scope of scopes) {
      const { group, version, resource } = scope.resource;
      this.#scopes.set(keyOf(group, version, resource), scope);
    }
    this.#rebuild();
  }

  find(group: string, version: string, resource: string): ResourceScope | undefined {
    return this.#scopes.get(keyOf(group, version, resource));
  }

  hasGroup(group: string): boolean {
    return this.#versions.has(group);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#versions.get(group)?.has(version) ?? false;
  }

  /**
   * Reports whether a version has built-in resources. In a version that only CRDs define, an unknown name is treated as an unknown path.
   */
  servesBuiltin(group: string, version: string): boolean {
    return (
      this.#versions
        .get(group)
        ?.get(version)
        ?.some(({ resource }) => resource.origin === "builtin") ?? false
    );
  }

  scopes(): IterableIterator<ResourceScope> {
    return this.#scopes.values();
  }

  /** Returns the groups in the order in which they were registered. The preferred version of a group comes first. */
  groups(): ServedGroup[] {
    return [...this.#versions].map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, scopes]) => ({ version, resources: scopes.map((scope) => scope.resource) })),
    }));
  }

  #rebuild(): void {
    this.#generation++;
    this.#versions.clear();
    for (const scope of this.#scopes.values()) {
      const { group, version } = scope.resource;
      const versions = this.#versions.get(group) ?? new Map<string, ResourceScope[]>();
      this.#versions.set(group, versions);
      const scopes = versions.get(version) ?? [];
      versions.set(version, scopes);
      scopes.push(scope);
    }
    for (const listener of this.#listeners) listener();
  }
}

const keyOf = (group: string, version: string, resource: string): string => `${group}/${version}/${resource}`;

const versionForm = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const stability: Readonly<Record<string, number>> = { "": 2, beta: 1, alpha: 0 };

/**
 * Compares two API versions, for sorting: GA versions come before beta and alpha versions, and higher numbers before
 * lower ones; all other names come last, in alphabetical order.
 *
 * @see apimachinery version CompareKubeAwareVersionStrings
 */
export function compareVersions(a: string, b: string): number {
  const left = versionForm.exec(a);
  const right = versionForm.exec(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  const rank = ([, major = "0", level = "", minor = "0"]: RegExpExecArray): number[] => [
    stability[level] ?? 0,
    Number(major),
    Number(minor),
  ];
  const [r, l] = [rank(right), rank(left)];
  for (let i = 0; i < 3; i++) {
    const difference = (r[i] ?? 0) - (l[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
