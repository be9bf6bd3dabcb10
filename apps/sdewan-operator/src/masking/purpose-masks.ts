import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { byPurpose } from "../cnf/indexes.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { masked } from "./mask.ts";

/** The part of the operator's state that contains the secrets. */
export interface SecretsView {
  readonly reader: Reader;
  /** Returns the secrets of a resource. */
  readonly secretsOf: (kind: CnfKind, rule: DeepReadonly<RuleObject>) => readonly (string | undefined)[];
}

type Mask = (text: string) => string;

/**
 * Removes all of a CNF's keys from strings about that CNF, because a message about one resource may repeat another resource's keys. Create
 * one instance per response; it looks up each purpose only once.
 */
export class Masks {
  readonly #secretsView: SecretsView;
  readonly #masks = new Map<string, Promise<Mask>>();

  constructor(secretsView: SecretsView) {
    this.#secretsView = secretsView;
  }

  /** Returns the mask for strings about the CNF of a purpose. */
  of(purpose: string): Promise<Mask> {
    const known = this.#masks.get(purpose) ?? this.#maskOf(purpose);
    this.#masks.set(purpose, known);
    return known;
  }

  async #maskOf(purpose: string): Promise<Mask> {
    const { reader, secretsOf } = this.#secretsView;
    const kinds: readonly CnfKind[] = ruleKinds;
    const having = kinds.filter(({ secretFields }) => secretFields.length > 0);
    const all = having.map(async (kind) => {
      const rules = await reader.list(kind.kind, { fields: { [byPurpose]: purpose } });
      return rules.flatMap((rule) => secretsOf(kind, rule));
    });
    const secrets = [...new Set((await Promise.all(all)).flat())];
    return (text) => (text === "" ? "" : masked(text, secrets));
  }
}
