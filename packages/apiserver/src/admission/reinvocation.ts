/**
 * What plugins remember between the two passes over one request: a plugin that changed the object late can have the whole chain asked
 * once more.
 *
 * @see apiserver pkg/admission ReinvocationContext
 */
export class Reinvocation {
  readonly #memory = new Map<string, unknown>();
  #isWanted = false;
  #isSecondPass = false;

  get isWanted(): boolean {
    return this.#isWanted;
  }

  get isSecondPass(): boolean {
    return this.#isSecondPass;
  }

  /** Asks for a second pass. */
  want(): void {
    this.#isWanted = true;
  }

  begin(): void {
    this.#isSecondPass = true;
  }

  /** What a plugin keeps for the second pass. */
  memoryOf<T>(plugin: string, make: () => T): T {
    if (!this.#memory.has(plugin)) this.#memory.set(plugin, make());
    return this.#memory.get(plugin) as T;
  }
}
