import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { State } from "../api/status.ts";
import { type Cnf, type StrayPods, strayPods } from "../cnf/discovery.ts";
import type { AppliedPurposes, Target } from "./applied-purposes.ts";
import { cnfOfRule } from "./cnf-of-rule.ts";
import { changeEveryPod } from "./fan-out.ts";
import { patchFinalizerOut } from "./metadata-patch.ts";
import type { Outcome } from "./outcome.ts";
import { type Claim, holdersOf, isOlders, isTakenOver, isWantedByOthers, type RivalSearch } from "./rivals.ts";
import { type Attempt, isBeingDeleted, originOf, purposeOf, type Rule, type RuleEnvironment, reachOf } from "./rule.ts";
import type { RuleChanges } from "./rule-changes.ts";
import type { Setbacks } from "./setbacks.ts";

export interface RemovalOptions {
  readonly environment: RuleEnvironment;
  readonly changes: RuleChanges;
  readonly applied: AppliedPurposes;
  readonly setbacks: Setbacks;
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
    return this.#takeOff(attempt, { purpose: purposeOf(attempt.rule), isHearsay: false }, isOlders);
  }

  /** Deletes the object on the former CNF after a rule's label changed. The rule is then applied anew. */
  async moveFrom(former: Target, attempt: Attempt): Promise<Outcome> {
    const outcome = await this.#takeOff(attempt, former, isTakenOver);
    if (outcome !== "let go") return outcome;
    this.#options.environment.waitingRoom.changed(former.purpose ?? "");
    await this.#callHolders(attempt, former);
    return "out of date";
  }

  /** Triggers rules that want the deleted object: another one may have applied it meanwhile, although the cache did not show this yet. */
  async #callHolders({ rule, client }: Attempt, { purpose }: Target): Promise<void> {
    for (const { kind, object } of await holdersOf(this.#rivalsIn(client), this.#claimOf(rule), { purpose }))
      this.#options.environment.waitingRoom.call(originOf(kind, object));
  }

  /**
   * Deletes the object on pods that no longer belong to the CNF.
   *
   * @returns those pods, and whether the object stays on any of them because another rule wants it there
   */
  async takeOffStrays(
    attempt: Attempt,
    { purpose, isHearsay }: Target,
    which: "all" | "relabelled",
  ): Promise<StrayPods & { readonly isClaimed: boolean }> {
    const { rule, client } = attempt;
    if (purpose === undefined) return { relabelled: [], orphaned: [], isClaimed: false };
    const { environment, changes } = this.#options;
    const strays = await strayPods(client, purpose, reachOf(environment, rule));
    const isOthers = ({ metadata: { namespace } }: DeepReadonly<Pod>, of: string | undefined): Promise<boolean> =>
      isWantedByOthers(this.#rivalsIn(client), this.#claimOf(rule), { namespace, purpose: of });
    const free: DeepReadonly<Pod>[] = which === "all" ? [...strays.orphaned] : [];
    let isClaimed = false;
    for (const { pod, purpose: next } of strays.relabelled) {
      // The labels of the rule and of the Deployment changed in the same way, so the object stays.
      if (next === purposeOf(rule) && !isBeingDeleted(rule)) continue;
      if (await isOthers(pod, next)) isClaimed = true;
      else free.push(pod);
    }
    if (isHearsay) await this.#takeOffOwn(attempt, free, (pod) => isOthers(pod, purpose), strays);
    else await changeEveryPod(environment.pool, free, () => changes.erase(rule), strays.orphaned);
    return { ...strays, isClaimed };
  }

  /**
   * For a CNF that only the rule's annotation names. Deletes the object only if it is exactly what the rule describes and no other rule
   * needs it.
   */
  async #takeOffOwn(
    { rule, client }: Attempt,
    pods: readonly DeepReadonly<Pod>[],
    isOthers: (pod: DeepReadonly<Pod>) => Promise<boolean>,
    { orphaned }: StrayPods,
  ): Promise<void> {
    const { environment, changes } = this.#options;
    const free: DeepReadonly<Pod>[] = [];
    for (const pod of pods) if (!(await isOthers(pod))) free.push(pod);
    await changeEveryPod(environment.pool, free, (pod) => changes.eraseOwn(rule, pod, client), orphaned);
  }

  /** @param isElses reports whether the name on the CNF belongs to another object, which must not be deleted */
  async #takeOff(attempt: Attempt, target: Target, isElses: typeof isOlders): Promise<Outcome> {
    const { environment, setbacks, applied } = this.#options;
    const { rule, client, log } = attempt;
    const { purpose } = target;
    const cnf = await cnfOfRule(environment, setbacks, attempt, purpose);
    if ("verdict" in cnf && cnf.verdict.state !== State.idle) return cnf;
    let changed = false;
    try {
      if ("verdict" in cnf) log.info({ purpose, ...cnf.verdict }, "without a CNF, there is nothing to delete");
      else changed = await this.#erase(attempt, target, cnf, isElses);
      await this.takeOffStrays(attempt, target, "all");
    } catch (error) {
      const state = isBeingDeleted(rule) ? State.deleting : State.applying;
      return setbacks.failedOnPods(attempt, state, error, purpose);
    }
    await patchFinalizerOut(client, environment.kind, rule);
    applied.forget(rule);
    if (changed) environment.waitingRoom.changed(purpose ?? "");
    return "let go";
  }

  /**
   * Deletes the object on the pods of a CNF, unless it belongs to another resource.
   *
   * @returns true if an object was deleted
   */
  async #erase(
    { rule, client }: Attempt,
    { purpose, isHearsay }: Target,
    cnf: Cnf,
    isElses: typeof isOlders,
  ): Promise<boolean> {
    const { environment, changes } = this.#options;
    const place = { namespace: cnf.deployment.metadata.namespace, purpose };
    if (await isElses(this.#rivalsIn(client), this.#claimOf(rule), place)) return false;
    const pods = cnf.pods.filter(({ status }) => status?.podIP);
    const changeOf = (pod: DeepReadonly<Pod>) =>
      isHearsay ? changes.eraseOwn(rule, pod, client) : changes.erase(rule);
    return (await changeEveryPod(environment.pool, pods, changeOf)).changed;
  }

  #rivalsIn(reader: Reader): RivalSearch {
    return { ...this.#options.environment, reader };
  }

  #claimOf(rule: Rule): Claim {
    return { kind: this.#options.environment.kind, object: rule };
  }
}
