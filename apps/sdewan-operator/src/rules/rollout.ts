import {
  conflict,
  type DeepReadonly,
  hasFinalizer,
  ignoreNotFound,
  isStatusError,
  keyOf,
} from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { appliedSecretsAnnotation, sentHashAnnotation } from "../api/group.ts";
import { State } from "../api/status.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import type { Cnf, Place } from "../cnf/discovery.ts";
import type { Change } from "../cnf/session/change.ts";
import { hasAppliedSecrets } from "../secrets/rule-secrets.ts";
import { InvalidSpecError, type RuleOfKind } from "../uci/cnf-kind.ts";
import { garbledHash } from "../uci/compare.ts";
import { orderOf } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { cnfOfRule } from "./cnf-of-rule.ts";
import { changeEveryPod, FanOutError } from "./fan-out.ts";
import { patchAnnotation, patchFinalizerIn } from "./metadata-patch.ts";
import {
  belongsToOlder,
  type ConflictSearch,
  isNeededByOthers,
  olderConflict,
  youngerConflicts,
} from "./name-conflicts.ts";
import { type Conclusion, idle, type Outcome } from "./outcome.ts";
import type { Removal, RemovalOptions } from "./removal.ts";
import { conflictRetryMs } from "./retry.ts";
import { originOf, purposeOf, type Rule } from "./rule.ts";
import type { Attempt } from "./rule-environment.ts";
import type { RuleStatusWriter } from "./rule-status.ts";
import type { StagePlan } from "./staged-rollout.ts";

export interface RolloutOptions extends RemovalOptions {
  readonly removal: Removal;
  readonly status: RuleStatusWriter;
}

/** Desired object for each pod of a CNF, or the reason why it cannot be computed. */
type DesiredOnPods = ReadonlyMap<DeepReadonly<Pod>, PromiseSettledResult<UciObject>>;

/** Maximum number of pods named in a message. */
const maxNames = 5;

/** Applies rules' objects to every pod of their CNFs. */
export class Rollout {
  readonly #options: RolloutOptions;

  constructor(options: RolloutOptions) {
    this.#options = options;
  }

  async apply(attempt: Attempt): Promise<Outcome> {
    const { environment, applied, removal, failureHandler } = this.#options;
    const { rule, client } = attempt;
    const former = applied.formerOf(rule);
    if (former) return removal.moveFrom(former, attempt);
    const purpose = purposeOf(rule);
    const cnf = await cnfOfRule(environment, failureHandler, attempt, purpose);
    if ("result" in cnf) return this.#withoutCnf(attempt, cnf);
    const place = { namespace: cnf.deployment.metadata.namespace, purpose };
    const own = { kind: environment.kind, object: rule };
    const conflict = await olderConflict({ ...environment, reader: client }, own, place);
    if (conflict) return failureHandler.refused(rule, conflict);
    if (cnf.pods.length === 0) return this.#withoutPods(rule, cnf);
    const outcome = await this.#convertAndWrite(attempt, cnf);
    if (typeof outcome === "object" && outcome.result.state === State.inSync)
      await this.#triggerDisplaced({ ...environment, reader: client }, own, place);
    return this.#withoutStages(rule, cnf, outcome);
  }

  /** Removes the state of a staged rollout from the status of a rule whose CNF has no stages. */
  #withoutStages(rule: Rule, { stages }: Cnf, outcome: Outcome): Outcome {
    if (typeof outcome === "string" || outcome.staged !== undefined) return outcome;
    if (stages || !this.#options.status.current(rule)?.stages) return outcome;
    return { ...outcome, staged: null };
  }

  /** Triggers younger rules, so that they detect that an older rule has taken their name. */
  async #triggerDisplaced(search: ConflictSearch, own: RuleOfKind, place: Place): Promise<void> {
    for (const { kind, object } of await youngerConflicts(search, own, place))
      if (object.status?.state === State.inSync) this.#options.environment.waitingRules.trigger(originOf(kind, object));
  }

  async #convertAndWrite(attempt: Attempt, cnf: Cnf): Promise<Outcome> {
    const { environment, failureHandler, staged } = this.#options;
    let desired: DesiredOnPods;
    let plan: StagePlan | undefined;
    try {
      if (attempt.secrets.problem) throw attempt.secrets.problem;
      if (environment.kind.precedence) orderOf(attempt.rule);
      if (staged && cnf.stages) {
        plan = await staged.plan(attempt, cnf, cnf.stages);
        if (!plan) return "outdated";
      }
      desired = await this.#desiredOn(cnf.pods, attempt, plan);
    } catch (error) {
      if (isStatusError(error)) throw error;
      return failureHandler.failed(attempt.rule, State.applying, error);
    }
    const waiting = plan && desired.size === 0 ? staged?.waiting(plan) : undefined;
    return waiting ?? this.#write(attempt, cnf, desired, plan);
  }

  /** Computes the desired object for each pod. @throws an error of the rule itself, or an error that is the same for every pod */
  async #desiredOn(all: Cnf["pods"], { rule, client }: Attempt, plan: StagePlan | undefined): Promise<DesiredOnPods> {
    const pods = plan ? all.filter((pod) => plan.versions.has(pod)) : all;
    const results = await Promise.allSettled(
      pods.map((pod) => this.#options.changes.desired(plan?.versions.get(pod) ?? rule, pod, client)),
    );
    const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const ofRule = reasons.find((reason) => reason instanceof InvalidSpecError || isStatusError(reason));
    const isOfAll = reasons.length === pods.length && new Set(reasons.map(messageOf)).size === 1;
    if (ofRule ?? isOfAll) throw ofRule ?? reasons[0];
    return new Map(results.flatMap((result, index) => (pods[index] ? [[pods[index], result]] : [])));
  }

  async #write(attempt: Attempt, cnf: Cnf, desired: DesiredOnPods, plan: StagePlan | undefined): Promise<Outcome> {
    const { environment, changes, applied, removal, failureHandler, staged } = this.#options;
    const { rule, client } = attempt;
    const purpose = purposeOf(rule);
    const one = [...desired.values()].find((result) => result.status === "fulfilled")?.value;
    if (one) {
      if (await patchFinalizerIn(client, environment.kind, rule, purpose ?? "")) applied.noteExistence(rule);
      applied.remember(rule, purpose);
    }
    let outdated: unknown;
    const check = (): Promise<void> =>
      this.#checkExistence(rule).catch((error: unknown) => {
        outdated = error;
        throw error;
      });
    const beforeWrite = applied.isKnownToExist(rule) ? undefined : check;
    if (plan) await staged?.store(attempt, plan);
    try {
      const leavesDrift = environment.drift === "report";
      const changeOf = (pod: DeepReadonly<Pod>): Change => {
        const result = desired.get(pod);
        if (result?.status !== "fulfilled") throw result?.reason;
        const version = plan?.versions.get(pod) ?? rule;
        const isApplied = plan?.applied.has(pod);
        const secrets = attempt.secrets.versions;
        return changes.write(version, result.value, { leavesDrift, secrets, isApplied, beforeWrite });
      };
      const pods = plan ? cnf.pods.filter((pod) => desired.has(pod)) : cnf.pods;
      const { changed, drifted = false, displaced = false } = await changeEveryPod(environment.pool, pods, changeOf);
      if (drifted && leavesDrift) return failureHandler.drifted(displaced);
      if (one) await this.#rememberSent(attempt, one);
      const { isStillNeeded } = await removal.deleteFromFormerPods(
        attempt,
        { purpose, isUnverified: false },
        { orphaned: belongsToOlder, written: cnf.pods, relabelled: isNeededByOthers },
      );
      const inSync = { state: State.inSync, changed, drifted, displaced };
      const stagedDone = plan && (await staged?.done(attempt, cnf, plan));
      // Other rules may have waited for this one on the stages that have it.
      if (stagedDone?.result && changed) environment.waitingRules.triggerAll(purpose ?? "");
      return { result: inSync, cnf, ...retryIf(isStillNeeded), ...stagedDone };
    } catch (error) {
      if (outdated !== undefined) throw outdated;
      const outcome = await failureHandler.failedOnPods(attempt, State.applying, error, purpose);
      if (!plan || !staged || typeof outcome === "string" || !(error instanceof FanOutError)) return outcome;
      return staged.failed(plan, error, outcome);
    }
  }

  /**
   * Checks that the API server still has a rule as the cache does. The cache of a process that has just become the leader may be
   * outdated: the former leader may have deleted the rule's object and released the rule, and nobody would delete the object again.
   *
   * @throws {StatusError} a conflict if the rule has changed or no longer exists
   */
  async #checkExistence(rule: Rule): Promise<void> {
    const { environment, applied } = this.#options;
    const { kind } = environment.kind;
    if (!environment.live) return;
    const stored = await environment.live.get(kind, keyOf(rule)).catch(ignoreNotFound);
    const isCurrent =
      stored?.metadata.uid === rule.metadata.uid && stored?.metadata.generation === rule.metadata.generation;
    if (!isCurrent) {
      const resource = { group: kind.group, resource: kind.plural };
      throw conflict(resource, rule.metadata.name, "the cache has not received its last change yet");
    }
    applied.noteExistence(rule);
  }

  /**
   * Determines the status of a rule without a CNF. Deletes the object on pods whose Deployment now has a different purpose. Pods orphaned
   * by a deleted Deployment keep the object, because they continue to work and may be adopted.
   */
  async #withoutCnf(attempt: Attempt, conclusion: Conclusion): Promise<Outcome> {
    const { environment, removal, failureHandler } = this.#options;
    const { result } = conclusion;
    if (result.state !== State.idle || !hasFinalizer(attempt.rule, environment.kind.finalizer)) return conclusion;
    const purpose = purposeOf(attempt.rule);
    try {
      const { orphaned, isStillNeeded } = await removal.deleteFromFormerPods(
        attempt,
        { purpose, isUnverified: false },
        { relabelled: isNeededByOthers },
      );
      if (orphaned.length === 0) return { ...conclusion, ...retryIf(isStillNeeded) };
      const names = orphaned.slice(0, maxNames).map(keyOf).join(", ");
      const message = `${result.message}; pods of a deleted Deployment still have the object: ${names}`;
      return { ...idle(message), ...retryIf(isStillNeeded) };
    } catch (error) {
      return failureHandler.failedOnPods(attempt, State.applying, error, purpose);
    }
  }

  #withoutPods(rule: Rule, { deployment }: Cnf): Conclusion {
    const name = keyOf(deployment);
    if (deployment.spec?.replicas === 0) return idle(`The CNF ${name} is scaled to zero`);
    return this.#options.failureHandler.failed(
      rule,
      State.applying,
      new Error(`The CNF ${name} has no running pods yet`),
    );
  }

  async #rememberSent({ rule, client, secrets: { versions } }: Attempt, desired: UciObject): Promise<void> {
    const { kind } = this.#options.environment;
    if (!hasAppliedSecrets(rule, versions))
      await patchAnnotation(client, kind, rule, appliedSecretsAnnotation, versions);
    const hash = garbledHash(kind, desired);
    if (hash === rule.metadata.annotations?.[sentHashAnnotation]) return;
    await patchAnnotation(client, kind, rule, sentHashAnnotation, hash);
  }
}

/**
 * Returns a delay if the object must be checked again.
 *
 * @param isStillNeeded true if pods still have the object only because another rule needs it there. No event shows when this is no
 * longer the case
 */
const retryIf = (isStillNeeded: boolean): Pick<Conclusion, "retryAfterMs"> =>
  isStillNeeded ? { retryAfterMs: conflictRetryMs } : {};
