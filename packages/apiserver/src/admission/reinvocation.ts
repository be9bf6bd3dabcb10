/**
 * State that plugins keep between the two passes over one request. A plugin that changes the object late can request a second pass
 * through the whole chain.
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

  /** Requests a second pass. */
  want(): void {
    this.#isWanted = true;
  }

  begin(): void {
    this.#isSecondPass = true;
  }

  /** Returns a plugin's state, which lasts until the second pass. */
  memoryOf<T>(plugin: string, make: () => T): T {
    if (!this.#memory.has(plugin)) this.#memory.set(plugin, make());
    return this.#memory.get(plugin) as T;
  }
}
