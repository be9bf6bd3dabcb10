const capacity = 500;

/**
 * Cache of owners that are known to have been deleted. It saves requests, because many dependents may refer to the same
 * owner. Entries remain valid, because UIDs are never reused.
 */
export class AbsentOwners {
  readonly #keys = new Set<string>();

  has(uid: string, namespace: string | undefined): boolean {
    return this.#keys.has(keyOf(uid, namespace));
  }

  add(uid: string, namespace: string | undefined): void {
    const key = keyOf(uid, namespace);
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > capacity && oldest !== undefined) this.#keys.delete(oldest);
  }
}

const keyOf = (uid: string, namespace = ""): string => `${namespace}/${uid}`;
