import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { State } from "../api/status.ts";
import { type Cnf, type FormerPods, findFormerPods } from "../cnf/discovery.ts";
import type { AppliedPurposes, Target } from "./applied-purposes.ts";
import { cnfOfRule } from "./cnf-of-rule.ts";
import type { FailureHandler } from "./failure-handler.ts";
import { changeEveryPod } from "./fan-out.ts";
import { patchFinalizerOut } from "./metadata-patch.ts";
import {
  belongsToOlder,
  type ConflictSearch,
  holdersOf,
  isNeededByOthers,
  isTakenOver,
  type RuleOfKind,
} from "./name-conflicts.ts";
import type { Outcome } from "./outcome.ts";
import {
  type Attempt,
  isBeingDeleted,
  originOf,
  purposeOf,
  type Rule,
  type RuleEnvironment,
  searchScopeOf,
} from "./rule.ts";
import type { RuleChanges } from "./rule-changes.ts";

export interface RemovalOptions {
  readonly environment: RuleEnvironment;
  readonly changes: RuleChanges;
  readonly applied: AppliedPurposes;
  readonly failureHandler: FailureHandler;
}

/** Deletes the objects of rules on CNFs. */
export class Removal {
  readonly #options: RemovalOptions;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Deletes the object of a deleted rule on every CNF that has it. */
  remove(attempt: Attempt): Promise<Outcome> {
    const former = this.#options.applied.formerOf(attempt.rule);
    if (former) return this.moveFrom(former, attempt);
    return this.#delete(attempt, { purpose: purposeOf(attempt.rule), isUnverified: false }, belongsToOlder);
  }

  /** Deletes the object on the former CNF after a rule's label changed. After that, the rule is applied again. */
  async moveFrom(former: Target, attempt: Attempt): Promise<Outcome> {
    const outcome = await this.#delete(attempt, former, isTakenOver);
    if (outcome !== "released") return outcome;
    this.#options.environment.waitingRules.triggerAll(former.purpose ?? "");
    await this.#triggerHolders(attempt, former);
    return "outdated";
  }

  /**
   * Triggers the rules that need the deleted object. One of them may have applied it in the meantime, even if the cache did not show this
   * yet.
   */
  async #triggerHolders({ rule, client }: Attempt, { purpose }: Target): Promise<void> {
    for (const { kind, object } of await holdersOf(this.#searchIn(client), this.#ruleOfKind(rule), { purpose }))
      this.#options.environment.waitingRules.trigger(originOf(kind, object));
  }

  /**
   * Deletes the object on pods that no longer belong to the CNF.
   *
   * @returns those pods, and whether the object stays on any of them because another rule needs it there
   */
  async deleteFromFormerPods(
    attempt: Attempt,
    { purpose, isUnverified }: Target,
    which: "all" | "relabelled",
  ): Promise<FormerPods & { readonly isStillNeeded: boolean }> {
    const { rule, client } = attempt;
    if (purpose === undefined) return { relabelled: [], orphaned: [], isStillNeeded: false };
    const { environment, changes } = this.#options;
    const formerPods = await findFormerPods(client, purpose, searchScopeOf(environment, rule));
    const isNeededElsewhere = (
      { metadata: { namespace } }: DeepReadonly<Pod>,
      of: string | undefined,
    ): Promise<boolean> => isNeededByOthers(this.#searchIn(client), this.#ruleOfKind(rule), { namespace, purpose: of });
    const free: DeepReadonly<Pod>[] = which === "all" ? [...formerPods.orphaned] : [];
    let isStillNeeded = false;
    for (const { pod, purpose: next } of formerPods.relabelled) {
      // The labels of the rule and of the Deployment changed in the same way, so the object stays.
      if (next === purposeOf(rule) && !isBeingDeleted(rule)) continue;
      if (await isNeededElsewhere(pod, next)) isStillNeeded = true;
      else free.push(pod);
    }
    if (isUnverified) await this.#deleteOwn(attempt, free, (pod) => isNeededElsewhere(pod, purpose), formerPods);
    else await changeEveryPod(environment.pool, free, () => changes.erase(rule), formerPods.orphaned);
    return { ...formerPods, isStillNeeded };
  }

  /**
   * Deletes the object on a CNF that only the rule's annotation names, provided that it is exactly what the rule describes and no other
   * rule needs it.
   */
  async #deleteOwn(
    { rule, client }: Attempt,
    pods: readonly DeepReadonly<Pod>[],
    isNeededElsewhere: (pod: DeepReadonly<Pod>) => Promise<boolean>,
    { orphaned }: FormerPods,
  ): Promise<void> {
    const { environment, changes } = this.#options;
    const free: DeepReadonly<Pod>[] = [];
    for (const pod of pods) if (!(await isNeededElsewhere(pod))) free.push(pod);
    await changeEveryPod(environment.pool, free, (pod) => changes.eraseOwn(rule, pod, client), orphaned);
  }

  /**
   * Deletes the object on a CNF.
   *
   * @param belongsToOther reports whether the name on the CNF belongs to another object, which must not be deleted
   */
  async #delete(attempt: Attempt, target: Target, belongsToOther: typeof belongsToOlder): Promise<Outcome> {
    const { environment, failureHandler, applied } = this.#options;
    const { rule, client, log } = attempt;
    const { purpose } = target;
    const cnf = await cnfOfRule(environment, failureHandler, attempt, purpose);
    if ("result" in cnf && cnf.result.state !== State.idle) return cnf;
    let changed = false;
    try {
      if ("result" in cnf) log.info({ purpose, ...cnf.result }, "without a CNF, there is nothing to delete");
      else changed = await this.#erase(attempt, target, cnf, belongsToOther);
      await this.deleteFromFormerPods(attempt, target, "all");
    } catch (error) {
      const state = isBeingDeleted(rule) ? State.deleting : State.applying;
      return failureHandler.failedOnPods(attempt, state, error, purpose);
    }
    await patchFinalizerOut(client, environment.kind, rule);
    applied.forget(rule);
    if (changed) environment.waitingRules.triggerAll(purpose ?? "");
    return "released";
  }

  /**
   * Deletes the object on the pods of a CNF, unless it belongs to another resource.
   *
   * @returns true if an object was deleted
   */
  async #erase(
    { rule, client }: Attempt,
    { purpose, isUnverified }: Target,
    cnf: Cnf,
    belongsToOther: typeof belongsToOlder,
  ): Promise<boolean> {
    const { environment, changes } = this.#options;
    const place = { namespace: cnf.deployment.metadata.namespace, purpose };
    if (await belongsToOther(this.#searchIn(client), this.#ruleOfKind(rule), place)) return false;
    const pods = cnf.pods.filter(({ status }) => status?.podIP);
    const changeOf = (pod: DeepReadonly<Pod>) =>
      isUnverified ? changes.eraseOwn(rule, pod, client) : changes.erase(rule);
    return (await changeEveryPod(environment.pool, pods, changeOf)).changed;
  }

  #searchIn(reader: Reader): ConflictSearch {
    return { ...this.#options.environment, reader };
  }

  #ruleOfKind(rule: Rule): RuleOfKind {
    return { kind: this.#options.environment.kind, object: rule };
  }
}
