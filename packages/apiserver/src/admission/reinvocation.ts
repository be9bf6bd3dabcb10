/**
 * State that plugins keep between the two mutating passes for a request. A plugin that changes the object can request a
 * second pass, in which all plugins are called again.
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

  /** Requests a second mutating pass. */
  want(): void {
    this.#isWanted = true;
  }

  begin(): void {
    this.#isSecondPass = true;
  }

  /** Returns the state of a plugin, which is kept for both passes. */
  memoryOf<T>(plugin: string, make: () => T): T {
    if (!this.#memory.has(plugin)) this.#memory.set(plugin, make());
    return this.#memory.get(plugin) as T;
  }
}
