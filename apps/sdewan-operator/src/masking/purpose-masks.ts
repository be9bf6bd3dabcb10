import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { masked } from "./mask.ts";
import { secretsOfPurpose } from "./secrets-of-pod.ts";

/** The part of the operator's state that contains secrets. */
export interface SecretsView {
  readonly reader: Reader;
  /** Returns the secrets of a resource. */
  readonly secretsOf: (kind: CnfKind, rule: DeepReadonly<RuleObject>) => readonly (string | undefined)[];
}

type Mask = (text: string) => string;

/**
 * Removes all of a CNF's keys from strings about that CNF, because a message about one resource may repeat another
 * resource's keys. Create a new instance for each response, because an instance looks up each purpose only once.
 */
export class Masks {
  readonly #secretsView: SecretsView;
  readonly #masks = new Map<string, Promise<Mask>>();

  constructor(secretsView: SecretsView) {
    this.#secretsView = secretsView;
  }

  /** Returns the mask for messages about the CNF with a purpose. */
  of(purpose: string): Promise<Mask> {
    const known = this.#masks.get(purpose) ?? this.#maskOf(purpose);
    this.#masks.set(purpose, known);
    return known;
  }

  async #maskOf(purpose: string): Promise<Mask> {
    const { reader, secretsOf } = this.#secretsView;
    const secrets = [...new Set(await secretsOfPurpose(reader, ruleKinds, purpose, secretsOf))];
    return (text) => (text === "" ? "" : masked(text, secrets));
  }
}
