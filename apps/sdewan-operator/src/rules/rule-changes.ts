import { type DeepReadonly, hasFinalizer } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { sentHashAnnotation } from "../api/group.ts";
import { type Change, nameOf } from "../cnf/batch.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { hasAppliedSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { garbledHash, sameOnCnf } from "../uci/compare.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { originOf, type Rule, uidOf } from "./rule.ts";
import { isInForce, type RuleStatusWriter } from "./rule-status.ts";

interface WriteOptions {
  /** What somebody else changed stays so. Default false. */
  readonly leavesDrift?: boolean;
  /** Which versions of Secrets are in it. */
  readonly secrets?: string | undefined;
}

/** What rules of a kind ask the pods of a CNF to change. */
export class RuleChanges {
  readonly #kind: CnfKind;
  readonly #status: RuleStatusWriter;
  /** Of the objects that may be on a pod without a restart of its service: the session that wrote them ended before it. */
  readonly #uncovered = new Set<string>();

  constructor(kind: CnfKind, status: RuleStatusWriter) {
    this.#kind = kind;
    this.#status = status;
  }

  /** The object that a rule wants on a pod of a CNF. @throws InvalidSpecError, or Error for what may still come */
  async wanted(rule: Rule, pod: DeepReadonly<Pod>, reader: Reader): Promise<UciObject> {
    return { name: this.#nameOf(rule), ...(await this.#kind.toUci(rule, cnfViewOf(reader, pod))) };
  }

  write(rule: Rule, wanted: UciObject, { leavesDrift = false, secrets }: WriteOptions = {}): Change {
    const kind = this.#kind;
    const sentBefore = rule.metadata.annotations?.[sentHashAnnotation];
    const hash = garbledHash(kind, wanted);
    const same: Change["same"] = (stored, sent) => sameOnCnf(kind, wanted, stored, sent ? hash : sentBefore);
    const inForce = this.#isCovered(rule) && hasAppliedSecrets(rule, secrets);
    return { ...this.#place(rule), wanted, same, inForce, leavesDrift };
  }

  erase(rule: Rule): Change {
    const neverApplied = !rule.status?.appliedGeneration;
    return { ...this.#place(rule), wanted: undefined, same: () => false, inForce: neverApplied };
  }

  /** The deletion of nothing but what is as the rule would have it. */
  async eraseOwn(rule: Rule, pod: DeepReadonly<Pod>, reader: Reader): Promise<Change> {
    const wanted = await this.wanted(rule, pod, reader).catch(() => undefined); // then nothing is as it would have it
    const sent = rule.metadata.annotations?.[sentHashAnnotation];
    const mayErase = (stored: UciObject) =>
      wanted !== undefined && sameOnCnf(this.#kind, { ...wanted, name: nameOf(stored) }, stored, sent);
    return { ...this.erase(rule), mayErase };
  }

  /** What was written may lack a restart of its service. */
  uncover(rule: Rule): void {
    this.#uncovered.add(uidOf(rule));
  }

  /** A restart has covered it, or it is gone. */
  cover(rule: Rule): void {
    this.#uncovered.delete(uidOf(rule));
  }

  /** Without a finalizer its status, if it has one, speaks of a CNF that it was taken off. */
  #isCovered(rule: Rule): boolean {
    const isHeld = hasFinalizer(rule, this.#kind.finalizer) && !this.#uncovered.has(uidOf(rule));
    return isHeld && isInForce(rule, this.#status.current(rule));
  }

  #place(rule: Rule): Pick<Change, "origin" | "kind" | "name" | "formerName"> {
    const kind = this.#kind;
    const name = this.#nameOf(rule);
    const formerName = kind.formerNameOnCnf?.(rule.metadata.name);
    return { origin: originOf(kind, rule), kind, name, formerName: formerName === name ? undefined : formerName };
  }

  #nameOf({ metadata }: Rule): string {
    return this.#kind.nameOnCnf(metadata.name);
  }
}
