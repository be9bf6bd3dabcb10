import { type DeepReadonly, hasFinalizer } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { orderAnnotation, retryAnnotation, sentHashAnnotation } from "../api/group.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { type Change, nameOf, type Revision } from "../cnf/session/change.ts";
import { hasAppliedSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { garbledHash, sameOnCnf } from "../uci/compare.ts";
import { orderOf } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { originOf, type Rule, uidOf } from "./rule.ts";
import { isInForce, type RuleStatusWriter } from "./rule-status.ts";

interface WriteOptions {
  /** True to keep changes that others made on the CNF. Default false. */
  readonly leavesDrift?: boolean;
  /** Versions of the Secrets that the object contains. */
  readonly secrets?: string | undefined;
  /** True if the pod is known to have had the object after a restart. By default, the status determines this. */
  readonly isApplied?: boolean | undefined;
  /** See {@link Change.beforeWrite}. */
  readonly beforeWrite?: Change["beforeWrite"];
}

/** Creates the changes that rules of a kind request for a CNF's pods. */
export class RuleChanges {
  readonly #kind: CnfKind;
  readonly #status: RuleStatusWriter;
  /**
   * Rules whose objects may still need a service restart on a pod, because the session that wrote them ended before the
   * restart.
   */
  readonly #needingRestart = new Set<string>();

  constructor(kind: CnfKind, status: RuleStatusWriter) {
    this.#kind = kind;
    this.#status = status;
  }

  /**
   * Returns the object that a rule describes for a pod of a CNF.
   *
   * @throws {InvalidSpecError} if the spec is not valid
   * @throws {Error} for problems that may be temporary
   */
  async desired(rule: Rule, pod: DeepReadonly<Pod>, reader: Reader): Promise<UciObject> {
    return { name: this.#nameOf(rule), ...(await this.#kind.toUci(rule, cnfViewOf(reader, pod))) };
  }

  /** @throws {InvalidSpecError} if the order annotation is malformed */
  write(
    rule: Rule,
    desired: UciObject,
    { leavesDrift = false, secrets, isApplied, beforeWrite }: WriteOptions = {},
  ): Change {
    const kind = this.#kind;
    const sentBefore = rule.metadata.annotations?.[sentHashAnnotation];
    const hash = garbledHash(kind, desired);
    const same: Change["same"] = (stored, sent) => sameOnCnf(kind, desired, stored, sent ? hash : sentBefore);
    const inForce = this.#isCovered(rule, isApplied) && hasAppliedSecrets(rule, secrets);
    const order = kind.precedence && orderOf(rule);
    const revision = this.#revision(rule, secrets);
    return { ...this.#place(rule), desired, same, inForce, leavesDrift, order, revision, beforeWrite };
  }

  erase(rule: Rule): Change {
    const neverApplied = !rule.status?.appliedGeneration;
    const revision = this.#revision(rule, "deleted");
    return { ...this.#place(rule), desired: undefined, same: () => false, inForce: neverApplied, revision };
  }

  /** @param content Secret versions that the object contains, or `deleted` */
  #revision(rule: Rule, content: string | undefined): Revision {
    const { generation = 0, annotations = {} } = rule.metadata;
    const parts = [generation, annotations[orderAnnotation] ?? "", content ?? "", annotations[retryAnnotation] ?? ""];
    const { origin, kind, name } = this.#place(rule);
    const restore: Revision["restore"] = (desired, order, inForce) => {
      const hash = desired && garbledHash(this.#kind, desired);
      // Only an object that was put back is known to have the values that the CNF does not return.
      const same: Change["same"] = (stored, sent) =>
        desired !== undefined && sameOnCnf(this.#kind, desired, stored, sent || inForce ? hash : undefined);
      return { origin, kind, name, desired, same, inForce, order };
    };
    return { uid: uidOf(rule), text: JSON.stringify(parts), restore };
  }

  /** Returns a change that deletes the object only if it is exactly what the rule describes. */
  async eraseOwn(rule: Rule, pod: DeepReadonly<Pod>, reader: Reader): Promise<Change> {
    const desired = await this.desired(rule, pod, reader).catch(() => undefined); // in this case, no object matches
    const sent = rule.metadata.annotations?.[sentHashAnnotation];
    const mayErase = (stored: UciObject) =>
      desired !== undefined && sameOnCnf(this.#kind, { ...desired, name: nameOf(stored) }, stored, sent);
    return { ...this.erase(rule), mayErase };
  }

  /** Records that an object was written and may still need a service restart. */
  requireRestart(rule: Rule): void {
    this.#needingRestart.add(uidOf(rule));
  }

  /** Records that a restart has covered the object, or that it was deleted. */
  noteRestart(rule: Rule): void {
    this.#needingRestart.delete(uidOf(rule));
  }

  /**
   * Reports whether a restart has covered the rule's object. If the finalizer is missing, the status refers to a CNF that no longer has the
   * object.
   */
  #isCovered(rule: Rule, isApplied = isInForce(rule, this.#status.current(rule))): boolean {
    const isHeld = hasFinalizer(rule, this.#kind.finalizer) && !this.#needingRestart.has(uidOf(rule));
    return isHeld && isApplied;
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
