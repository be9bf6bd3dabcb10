import { jsonEqual } from "@kubewright/apimachinery";
import type { Reinvocation } from "./reinvocation.ts";

/**
 * Selects the webhooks or policies that a plugin calls again in the second pass: those that allow reinvocation and ran before a later
 * change to the object.
 *
 * @see apiserver pkg/admission/plugin/webhook/mutating webhookReinvokeContext
 */
export class ReinvokedHooks {
  readonly #reinvocation: Reinvocation;
  readonly #reinvocable = new Set<string>();
  readonly #toReinvoke = new Set<string>();
  #lastOutput: unknown;

  constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  /** Must be called at the start of each pass, before the first hook. */
  begin(object: unknown): void {
    if (this.#reinvocation.isSecondPass && !jsonEqual(this.#lastOutput ?? null, object ?? null)) this.#requireAll();
  }

  /** Must be called at the end of each pass, after the last hook. */
  end(object: unknown): void {
    this.#lastOutput = structuredClone(object);
  }

  shouldCall(id: string): boolean {
    return !this.#reinvocation.isSecondPass || this.#toReinvoke.has(id);
  }

  called(id: string, outcome: { readonly changed: boolean; readonly reinvocable: boolean }): void {
    if (outcome.changed) {
      this.#requireAll();
      this.#reinvocation.want();
    }
    if (outcome.reinvocable) this.#reinvocable.add(id);
  }

  #requireAll(): void {
    for (const id of this.#reinvocable) this.#toReinvoke.add(id);
    this.#reinvocable.clear();
  }
}
