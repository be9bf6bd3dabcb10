import type { CnfKind } from "../uci/cnf-kind.ts";
import { formerPurposeOf } from "./metadata-patch.ts";
import { purposeOf, type Rule, uidOf } from "./rule.ts";

/** A CNF that may hold a rule's object. */
export interface Target {
  readonly purpose: string | undefined;
  /**
   * Only the rule's own annotation says so, which whoever may write the rule may write too: what is there is deleted only if it is
   * what the rule asks for.
   */
  readonly isHearsay: boolean;
}

/** Which CNFs' purpose this process has applied an object for. */
export class AppliedPurposes {
  readonly #kind: CnfKind;
  readonly #byUid = new Map<string, string>();

  constructor(kind: CnfKind) {
    this.#kind = kind;
  }

  remember(rule: Rule, purpose: string | undefined): void {
    this.#byUid.set(uidOf(rule), purpose ?? "");
  }

  /** The CNF that has the rule's object still, while the rule is for another one by now; nothing where this process does not know it. */
  heldBy(rule: Rule): string | undefined {
    const remembered = this.#byUid.get(uidOf(rule));
    return remembered === purposeOf(rule) ? undefined : remembered || undefined;
  }

  forget(rule: Rule): void {
    this.#byUid.delete(uidOf(rule));
  }

  /**
   * The CNF that a rule was for before its label changed: what is remembered goes before what is written on the rule. Its status, which
   * users cannot write, tells who comes later whether that CNF had it.
   */
  formerOf(rule: Rule): Target | undefined {
    const remembered = this.#byUid.get(uidOf(rule));
    if (remembered !== undefined && remembered !== (purposeOf(rule) ?? ""))
      return { purpose: remembered, isHearsay: false };
    const purpose = formerPurposeOf(this.#kind, rule);
    const isKnown = purpose === remembered || purpose === rule.status?.appliedPurpose;
    return purpose === undefined ? undefined : { purpose, isHearsay: !isKnown };
  }
}
