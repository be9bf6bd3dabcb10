import { type GroupVersionKind, gvkKey, type Kind, kindOf } from "./kind.ts";
import type { KubeObject } from "./object.ts";

/**
 * The set of kinds that a program uses. Unlike upstream's scheme, it needs no object types, because each kind contains its own.
 *
 * @see apimachinery runtime Scheme
 */
export class Scheme {
  readonly #kinds = new Map<string, Kind>();

  constructor(kinds: Iterable<Kind> = []) {
    this.register(...kinds);
  }

  /** Adds kinds. A kind replaces a registered one with the same group, version and name. */
  register(...kinds: readonly Kind[]): this {
    for (const kind of kinds) this.#kinds.set(gvkKey(kind), kind);
    return this;
  }

  /** Returns the registered kind with a group, version and name, or `undefined`. */
  lookup(gvk: GroupVersionKind): Kind | undefined {
    return this.#kinds.get(gvkKey(gvk));
  }

  /** Returns the registered kind of an object, or `undefined`. */
  kindOfObject(object: Pick<KubeObject, "apiVersion" | "kind">): Kind | undefined {
    return this.lookup(kindOf(object));
  }

  /** Reports whether the kind is registered. */
  recognizes(gvk: GroupVersionKind): boolean {
    return this.#kinds.has(gvkKey(gvk));
  }

  /** Returns the registered versions of a kind, in the order of registration. */
  versionsOf(gk: { readonly group: string; readonly kind: string }): string[] {
    return [...this.#kinds.values()].filter((k) => k.group === gk.group && k.kind === gk.kind).map((k) => k.version);
  }

  /** Iterates over all kinds, in the order of registration. */
  [Symbol.iterator](): IterableIterator<Kind> {
    return this.#kinds.values();
  }
}
