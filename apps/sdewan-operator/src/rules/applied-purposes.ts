import type { CnfKind } from "../uci/cnf-kind.ts";
import { formerPurposeOf } from "./metadata-patch.ts";
import { purposeOf, type Rule, uidOf } from "./rule.ts";

/** A CNF that may still have a rule's object. */
export interface Target {
  readonly purpose: string | undefined;
  /**
   * True if only the rule's own annotation names this CNF. Anyone who may write the rule may also write the annotation. Therefore, the
   * object on this CNF is deleted only if it is exactly what the rule describes.
   */
  readonly isUnverified: boolean;
}

/** Records the CNFs to which this process has applied objects, and the rules that are known to exist. */
export class AppliedPurposes {
  readonly #kind: CnfKind;
  readonly #byUid = new Map<string, string>();
  readonly #existing = new Set<string>();

  constructor(kind: CnfKind) {
    this.#kind = kind;
  }

  remember(rule: Rule, purpose: string | undefined): void {
    this.#byUid.set(uidOf(rule), purpose ?? "");
  }

  /**
   * Returns the purpose of the former CNF that still has the rule's object after the rule's purpose has changed. Undefined if this process
   * does not know of such a CNF.
   */
  heldBy(rule: Rule): string | undefined {
    const remembered = this.#byUid.get(uidOf(rule));
    return remembered === purposeOf(rule) ? undefined : remembered || undefined;
  }

  forget(rule: Rule): void {
    this.#byUid.delete(uidOf(rule));
    this.#existing.delete(uidOf(rule));
  }

  /** Records that the API server had a rule while this process was the leader, so that no other process deletes the rule's object. */
  noteExistence(rule: Rule): void {
    this.#existing.add(uidOf(rule));
  }

  isKnownToExist(rule: Rule): boolean {
    return this.#existing.has(uidOf(rule));
  }

  /**
   * Returns the CNF that a rule configured before its label changed. This process's own records take precedence over the annotation. The
   * status shows whether that CNF had the object. A later process can rely on the status, because users cannot write it.
   */
  formerOf(rule: Rule): Target | undefined {
    const remembered = this.#byUid.get(uidOf(rule));
    if (remembered !== undefined && remembered !== (purposeOf(rule) ?? ""))
      return { purpose: remembered, isUnverified: false };
    const purpose = formerPurposeOf(this.#kind, rule);
    const isKnown = purpose === remembered || purpose === rule.status?.appliedPurpose;
    return purpose === undefined ? undefined : { purpose, isUnverified: !isKnown };
  }
}
