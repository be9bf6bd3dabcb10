import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { State } from "../api/status.ts";
import { type Cnf, type FormerPods, findFormerPods } from "../cnf/discovery.ts";
import type { RuleOfKind } from "../uci/cnf-kind.ts";
import type { AppliedPurposes, Target } from "./applied-purposes.ts";
import { cnfOfRule } from "./cnf-of-rule.ts";
import type { FailureHandler } from "./failure-handler.ts";
import { changeEveryPod } from "./fan-out.ts";
import { patchFinalizerIn, patchFinalizerOut } from "./metadata-patch.ts";
import { belongsToOlder, type ConflictSearch, holdersOf, isTakenOver } from "./name-conflicts.ts";
import type { Outcome } from "./outcome.ts";
import { isBeingDeleted, originOf, purposeOf, type Rule } from "./rule.ts";
import type { RuleChanges } from "./rule-changes.ts";
import { type Attempt, type RuleEnvironment, searchScopeOf } from "./rule-environment.ts";
import type { StagedRollout } from "./staged-rollout.ts";

export interface RemovalOptions {
  readonly environment: RuleEnvironment;
  readonly changes: RuleChanges;
  readonly applied: AppliedPurposes;
  readonly failureHandler: FailureHandler;
  /** Applies changes stage by stage. If undefined, changes are applied to all CNFs at once. */
  readonly staged: StagedRollout | undefined;
}

type BelongsToOther = typeof belongsToOlder;

/** Predicates that decide which former pods keep an object. */
interface Staying {
  /** Pods whose Deployment was deleted. Default: these pods keep the object. */
  readonly orphaned?: BelongsToOther;
  /**
   * Pods that keep the object although their Deployment was deleted, because they received the object while the Deployment still existed.
   */
  readonly written?: readonly DeepReadonly<Pod>[];
  /** Pods whose Deployment has another purpose. */
  readonly relabelled: BelongsToOther;
}

/** The former pods that keep an object. */
interface Left {
  /** True if pods keep the object because another rule needs it there. */
  readonly isStillNeeded: boolean;
  /** True if pods keep the object because the rule's purpose and the purpose of the pods' Deployment changed to the same value. */
  readonly moves: boolean;
}

/** Deletes rules' objects on CNFs. */
export class Removal {
  readonly #options: RemovalOptions;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Deletes the object of a deleted rule from every CNF that has it. */
  remove(attempt: Attempt): Promise<Outcome> {
    const former = this.#options.applied.formerOf(attempt.rule);
    if (former) return this.moveFrom(former, attempt);
    return this.#delete(attempt, { purpose: purposeOf(attempt.rule), isUnverified: false }, belongsToOlder);
  }

  /** Deletes the object from the former CNF after a rule's label has changed. The rule is then applied again. */
  async moveFrom(former: Target, attempt: Attempt): Promise<Outcome> {
    await this.#options.staged?.clear(attempt); // it describes the stages of the former CNF
    const outcome = await this.#delete(attempt, former, isTakenOver);
    if (outcome !== "released") return outcome;
    this.#options.environment.waitingRules.triggerAll(former.purpose ?? "");
    return "outdated";
  }

  /**
   * Triggers the rules that need the deleted object on a CNF with one of these purposes. One of these rules may have applied the object in
   * the meantime, even if the cache did not show this yet.
   */
  async #triggerHolders({ rule, client }: Attempt, purposes: readonly (string | undefined)[]): Promise<void> {
    for (const purpose of new Set(purposes))
      for (const { kind, object } of await holdersOf(this.#searchIn(client), this.#ruleOfKind(rule), { purpose }))
        this.#options.environment.waitingRules.trigger(originOf(kind, object));
  }

  /**
   * Deletes the object from pods that no longer belong to the CNF.
   *
   * @returns those pods, and which of them still have the object
   */
  async deleteFromFormerPods(
    attempt: Attempt,
    { purpose, isUnverified }: Target,
    { orphaned: staysOnOrphaned, written = [], relabelled: staysOnRelabelled }: Staying,
  ): Promise<FormerPods & Left> {
    const { rule, client } = attempt;
    if (purpose === undefined) return { relabelled: [], orphaned: [], isStillNeeded: false, moves: false };
    const { environment, changes } = this.#options;
    const formerPods = await findFormerPods(client, purpose, searchScopeOf(environment, rule));
    const stays = (belongsToOther: BelongsToOther, { metadata }: DeepReadonly<Pod>, of: string | undefined) =>
      belongsToOther(this.#searchIn(client), this.#ruleOfKind(rule), { namespace: metadata.namespace, purpose: of });
    const free: DeepReadonly<Pod>[] = [];
    let isStillNeeded = false;
    let moves = false;
    for (const { pod, purpose: next } of formerPods.relabelled) {
      if (next === purposeOf(rule) && !isBeingDeleted(rule)) moves = true;
      else if (await stays(staysOnRelabelled, pod, next)) isStillNeeded = true;
      else if (isUnverified && (await stays(staysOnRelabelled, pod, purpose))) isStillNeeded = true;
      else free.push(pod);
    }
    if (staysOnOrphaned)
      for (const pod of formerPods.orphaned) {
        const isWritten = written.some(({ metadata }) => metadata.uid === pod.metadata.uid);
        if (!isWritten && !(await stays(staysOnOrphaned, pod, purpose))) free.push(pod);
      }
    const changeOf = (pod: DeepReadonly<Pod>) =>
      isUnverified ? changes.eraseOwn(rule, pod, client) : changes.erase(rule);
    await changeEveryPod(environment.pool, free, changeOf, formerPods.orphaned);
    return { ...formerPods, isStillNeeded, moves };
  }

  /**
   * Deletes the object on a CNF.
   *
   * @param belongsToOther reports whether the name on the CNF belongs to another object, which must not be deleted
   */
  async #delete(attempt: Attempt, target: Target, belongsToOther: BelongsToOther): Promise<Outcome> {
    const { environment, failureHandler, applied } = this.#options;
    const { rule, client, log } = attempt;
    const { purpose } = target;
    const cnf = await cnfOfRule(environment, failureHandler, attempt, purpose);
    if ("result" in cnf && cnf.result.state !== State.idle) return cnf;
    let changed = false;
    let former: FormerPods & Left;
    try {
      const waiting = "result" in cnf ? undefined : await this.#eraseInStages(attempt, cnf, belongsToOther);
      if (waiting) return waiting;
      if ("result" in cnf) log.info({ purpose, ...cnf.result }, "there is no CNF, so there is nothing to delete");
      else changed = await this.#erase(attempt, target, cnf, belongsToOther);
      former = await this.deleteFromFormerPods(attempt, target, { orphaned: belongsToOther, relabelled: isTakenOver });
    } catch (error) {
      const state = isBeingDeleted(rule) ? State.deleting : State.applying;
      return failureHandler.failedOnPods(attempt, state, error, purpose);
    }
    if (former.moves) await this.#moveTo(attempt, purposeOf(rule));
    else {
      await patchFinalizerOut(client, environment.kind, rule);
      applied.forget(rule);
    }
    if (changed) environment.waitingRules.triggerAll(purpose ?? "");
    await this.#triggerHolders(attempt, [purpose, ...former.relabelled.map((each) => each.purpose)]);
    return "released";
  }

  /**
   * Deletes a deleted rule's object on the stages of a CNF whose turn it is, highest stage first.
   *
   * @returns the status while other stages are waiting, or undefined if no stage is waiting
   */
  async #eraseInStages(attempt: Attempt, cnf: Cnf, belongsToOther: BelongsToOther): Promise<Outcome | undefined> {
    const { environment, staged, changes } = this.#options;
    const { rule, client } = attempt;
    const purpose = purposeOf(rule);
    if (!staged || !cnf.stages || !isBeingDeleted(rule)) return undefined;
    const place = { namespace: cnf.deployment.metadata.namespace, purpose };
    if (await belongsToOther(this.#searchIn(client), this.#ruleOfKind(rule), place)) return undefined;
    const removal = await staged.planRemoval(attempt, cnf, cnf.stages);
    if (!removal) return "outdated";
    if (!removal.conclusion) return undefined;
    const pods = removal.pods.filter(({ status }) => status?.podIP);
    const { changed } = await changeEveryPod(environment.pool, pods, () => changes.erase(rule));
    if (changed) environment.waitingRules.triggerAll(purpose ?? "");
    return removal.conclusion;
  }

  /**
   * Records that the CNF with the rule's new purpose already has the object. The object is then deleted together with the rule, even if
   * it is never applied again.
   */
  async #moveTo({ rule, client }: Attempt, purpose: string | undefined): Promise<void> {
    await patchFinalizerIn(client, this.#options.environment.kind, rule, purpose ?? "");
    this.#options.applied.remember(rule, purpose);
  }

  /**
   * Deletes the object on a CNF's pods, unless it belongs to another resource.
   *
   * @returns true if an object was deleted
   */
  async #erase(
    { rule, client }: Attempt,
    { purpose, isUnverified }: Target,
    cnf: Cnf,
    belongsToOther: BelongsToOther,
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
