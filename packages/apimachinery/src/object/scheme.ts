import { type GroupVersionKind, gvkKey, type Kind, kindOf } from "./kind.ts";
import type { KubeObject } from "./object.ts";

/**
 * The kinds a program knows: from group, version and kind to the kind's value. Unlike upstream's there is nothing to register an
 * object type with: a kind carries its own.
 *
 * @see apimachinery runtime Scheme
 */
export class Scheme {
  readonly #kinds = new Map<string, Kind>();

  constructor(kinds: Iterable<Kind> = []) {
    this.register(...kinds);
  }

  /** Adds kinds; one that is registered already under the same group, version and kind is replaced. */
  register(...kinds: readonly Kind[]): this {
    for (const kind of kinds) this.#kinds.set(gvkKey(kind), kind);
    return this;
  }

  /** The kind of that group, version and name, if it is registered. */
  lookup(gvk: GroupVersionKind): Kind | undefined {
    return this.#kinds.get(gvkKey(gvk));
  }

  /** The registered kind of an object, if its `apiVersion` and `kind` name one. */
  kindOfObject(object: Pick<KubeObject, "apiVersion" | "kind">): Kind | undefined {
    return this.lookup(kindOf(object));
  }

  /** Whether the kind is registered. */
  recognizes(gvk: GroupVersionKind): boolean {
    return this.#kinds.has(gvkKey(gvk));
  }

  /** Versions of a group's kind, in the order they were registered. */
  versionsOf(gk: { readonly group: string; readonly kind: string }): string[] {
    return [...this.#kinds.values()].filter((k) => k.group === gk.group && k.kind === gk.kind).map((k) => k.version);
  }

  /** Every kind, in the order of registration. */
  [Symbol.iterator](): IterableIterator<Kind> {
    return this.#kinds.values();
  }
}
