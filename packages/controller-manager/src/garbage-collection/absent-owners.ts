const capacity = 500;

/** Owners known to be deleted, because many dependents refer to the same one. A UID never returns. */
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
