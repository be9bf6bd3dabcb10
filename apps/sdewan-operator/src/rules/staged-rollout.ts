import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { orderAnnotation, releaseAnnotation } from "../api/group.ts";
import { type RuleStatus, State } from "../api/status.ts";
import type { Cnf } from "../cnf/discovery.ts";
import type { CnfStage } from "../cnf/stages.ts";
import { Reason, responding } from "../reporting/conditions.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { orderOf } from "../uci/order.ts";
import type { FanOutError } from "./fan-out.ts";
import { patchAnnotation } from "./metadata-patch.ts";
import type { Conclusion } from "./outcome.ts";
import { isBeingDeleted, originOf, type Rule } from "./rule.ts";
import type { Attempt, RuleEnvironment } from "./rule-environment.ts";
import { isInForce, type RuleStatusWriter, type Staged } from "./rule-status.ts";
import { type Direction, failureOf, type StageGate, timeOf, waitText } from "./stage-gate.ts";

type Entry = NonNullable<RuleStatus["stages"]>[number];
type StageWait = NonNullable<RuleStatus["stageWait"]>;

/** A wait for other stages. */
interface Wait {
  readonly stageWait: StageWait;
  readonly message: string;
}

/** The version of a rule that each stage of a CNF should have now. */
export interface StagePlan {
  readonly stages: readonly CnfStage[];
  /** The version of the rule that each pod must have. Pods without a version are left unchanged. */
  readonly versions: ReadonlyMap<DeepReadonly<Pod>, Rule>;
  /** Pods that already have their version, after a restart. */
  readonly applied: ReadonlySet<DeepReadonly<Pod>>;
  readonly entries: readonly Entry[];
  readonly wait: Wait | undefined;
}

/** The stages on which an object may be deleted now. */
export interface StageRemoval {
  readonly pods: readonly DeepReadonly<Pod>[];
  /** The state after the object has been deleted from these pods. */
  readonly staged: Staged;
  /** Status while other stages still have the object. Undefined if no other stage has it. */
  readonly conclusion: Conclusion | undefined;
}

interface StagedRolloutOptions {
  readonly environment: RuleEnvironment;
  readonly status: RuleStatusWriter;
  readonly gate: StageGate;
  readonly clock: Clock;
}

/** Maximum length of the stored specs of a rule, as JSON. Older specs beyond it are not stored. */
const maxSpecLength = 128 * 1_024;

/**
 * Rolls out rule changes to a CNF's stages, one after another. All information about the rollout is stored in the
 * rule's status. For each stage, the status contains the generation that the CNFs in this stage have, the time since
 * when they have had it, and the spec of this generation. CNFs in later stages keep the spec stored for them in the
 * status until it is their turn.
 */
export class StagedRollout {
  readonly #options: StagedRolloutOptions;

  constructor(options: StagedRolloutOptions) {
    this.#options = options;
  }

  /**
   * Determines which version each stage must have now.
   *
   * @returns undefined if the resource was changed and must be reconciled again
   */
  async plan(attempt: Attempt, cnf: Cnf, stages: readonly CnfStage[]): Promise<StagePlan | undefined> {
    const { environment, status, gate, clock } = this.#options;
    const { rule } = attempt;
    const current = status.current(rule);
    const known = new Map(expanded(current?.stages).map((entry) => [entry.stage, entry]));
    const own = this.#versionOf(rule);
    const isSettled = isInForce(rule, current);
    const stored = current?.stageWait;
    const isStored = stored?.generation === own.generation && stored.order === own.order;
    const since = (isStored ? stored.since : undefined) ?? rfc3339(clock.now());
    const entries: Entry[] = [];
    let wait: Wait | undefined;
    let ownMs = timeOf(since);
    let isOwnReady = true;
    gate.forget(originOf(environment.kind, rule));
    for (const { stage } of stages) {
      const entry = known.get(stage) ?? (isSettled ? { stage, ...own, ...applied(current?.appliedTime) } : undefined);
      if (entry && entry.generation === own.generation && entry.order === own.order) {
        isOwnReady &&= entry.soakingSince !== undefined;
        ownMs = Math.max(ownMs, timeOf(entry.soakingSince));
        entries.push(entry);
        continue;
      }
      if (!wait) {
        const found = await this.#waitFor(attempt, cnf, { stage, direction: "forward", since, ownMs, isOwnReady });
        if (found && isReleased(rule)) return this.#release(attempt, [...entries, { stage, ...own }], known);
        wait = found;
      }
      if (!wait) {
        entries.push({ stage, ...own });
        isOwnReady = false;
      } else if (entry) entries.push(entry);
    }
    if (!wait && isReleased(rule)) return this.#release(attempt, entries, known);
    return this.#planOf(attempt, stages, entries, wait);
  }

  /** Stores the plan before anything is written to a CNF, so that another process can continue with it. */
  async store({ rule, client }: Attempt, { entries, wait }: Pick<StagePlan, "entries" | "wait">): Promise<void> {
    await this.#options.status.writeStages(client, rule, stagedOf(entries, wait?.stageWait));
  }

  /** Removes the state of a rollout. */
  async clear({ rule, client }: Attempt): Promise<void> {
    await this.#options.status.writeStages(client, rule, {});
  }

  /** Returns the status if nothing was written because no stage's turn has come. */
  waiting({ entries, wait }: StagePlan): Conclusion | undefined {
    return wait && { result: waitingResult(State.applying, wait), staged: stagedOf(entries, wait.stageWait) };
  }

  /** Returns the status after all pods have received their version. */
  async done(attempt: Attempt, cnf: Cnf, plan: StagePlan): Promise<Pick<Conclusion, "staged"> & Partial<Conclusion>> {
    const { environment, clock } = this.#options;
    const { rule, client } = attempt;
    const { kind, effects } = environment;
    const own = this.#versionOf(rule);
    const now = rfc3339(clock.now());
    const entries: Entry[] = [];
    let problem: string | undefined;
    for (const entry of plan.entries) {
      const next: Entry = { ...entry, appliedTime: entry.appliedTime ?? now };
      if (entry.generation === own.generation) {
        const pods = plan.stages.find(({ stage }) => stage === entry.stage)?.pods ?? [];
        const effect = await effects?.of(client, { kind, object: rule }, { ...cnf, pods });
        if (effect?.status === "False") {
          problem ??= `has no effect on stage ${entry.stage}: ${effect.message}`;
          delete next.soakingSince;
        } else next.soakingSince ??= now;
      }
      entries.push(next);
    }
    // The effect on all pods is the one that the operator watches.
    if (plan.stages.length > 1) await effects?.of(client, { kind, object: rule }, cnf);
    const staged = stagedOf(entries, plan.wait?.stageWait);
    if (!plan.wait) return { staged };
    const wait = problem === undefined ? plan.wait : { ...plan.wait, message: problem };
    return { staged, result: waitingResult(State.applying, wait) };
  }

  /**
   * Returns the status after a failure on pods: the stages of these pods are no longer in sync. If the change waits for a stage, the message
   * also says this, because the pods may have failed with the former object.
   */
  failed(plan: StagePlan, { failures }: FanOutError, conclusion: Conclusion): Conclusion {
    const pods = new Set(failures.map(({ pod }) => pod));
    const entries = plan.entries.map((entry): Entry => {
      const isFailed = plan.stages.some(
        ({ stage, pods: of }) => stage === entry.stage && of.some((pod) => pods.has(pod)),
      );
      if (!isFailed) return entry;
      const { soakingSince: _soakingSince, ...others } = entry;
      return others;
    });
    const { result } = conclusion;
    const { wait } = plan;
    return {
      ...conclusion,
      result: wait && "message" in result ? { ...result, message: `${result.message}. ${wait.message}` } : result,
      staged: stagedOf(entries, wait?.stageWait),
    };
  }

  /**
   * Determines the stages on which a deleted rule's object may be deleted now, highest stage first.
   *
   * @returns undefined if the resource was changed and must be reconciled again
   */
  async planRemoval(attempt: Attempt, cnf: Cnf, stages: readonly CnfStage[]): Promise<StageRemoval | undefined> {
    const { environment, status, gate, clock } = this.#options;
    const { rule } = attempt;
    const current = status.current(rule);
    const known = new Map(expanded(current?.stages).map((entry) => [entry.stage, entry]));
    const own = this.#versionOf(rule);
    const now = rfc3339(clock.now());
    const isStored = current?.stageWait?.forStage !== undefined && current.stageWait.forStage > current.stageWait.stage;
    const since = isStored ? current.stageWait?.since : now;
    const entries = new Map(known);
    const pods: DeepReadonly<Pod>[] = [];
    let wait: Wait | undefined;
    let ownMs = timeOf(since);
    gate.forget(originOf(environment.kind, rule));
    for (const { stage, pods: of } of stages.toReversed()) {
      const entry = known.get(stage) ?? (current?.stages ? undefined : { stage, ...own });
      if (entry?.generation === 0) {
        ownMs = Math.max(ownMs, timeOf(entry.soakingSince));
        continue;
      }
      if (!entry) {
        pods.push(...of); // the change never came to this stage, so nothing has to prove itself
        continue;
      }
      wait ??= await this.#waitFor(attempt, cnf, { stage, direction: "backward", since, ownMs, isOwnReady: true });
      if (wait && isReleased(rule)) {
        await this.#consumeRelease(attempt, stage);
        // Without an entry, the stage has nothing to prove, and does not wait.
        await this.store(attempt, {
          entries: [...known.values()].filter((each) => each.stage !== stage),
          wait: undefined,
        });
        return undefined;
      }
      if (wait) break;
      pods.push(...of);
      entries.set(stage, { stage, generation: 0, appliedTime: now, soakingSince: now });
      ownMs = Math.max(ownMs, timeOf(now));
    }
    const staged = stagedOf([...entries.values()].toSorted(byStage), wait?.stageWait);
    if (!wait) return { pods, staged, conclusion: undefined };
    return { pods, staged, conclusion: { result: waitingResult(State.deleting, wait), staged } };
  }

  /** Returns a stage's wait for other stages, or undefined if it is the stage's turn. */
  async #waitFor(
    { rule }: Attempt,
    { deployment }: Cnf,
    turn: {
      readonly stage: number;
      readonly direction: Direction;
      readonly since: string | undefined;
      readonly ownMs: number;
      readonly isOwnReady: boolean;
    },
  ): Promise<Wait | undefined> {
    const { environment, gate, clock } = this.#options;
    const { stage, direction, since, ownMs, isOwnReady } = turn;
    const { namespace = "" } = deployment.metadata;
    const before = await gate.before(namespace, stage, direction);
    if (before.closest === undefined) return undefined;
    const isBackward = direction === "backward";
    // A deleted resource leaves no trace of when it was deleted, so the wait counts from when all of them are gone.
    const isBlocked = isBackward && before.obstacle !== undefined;
    const next = isBackward ? (isBlocked ? undefined : (since ?? rfc3339(clock.now()))) : since;
    const fromMs = Math.max(ownMs, timeOf(next));
    if (isOwnReady && !isBlocked && gate.isOpen(before, fromMs)) return undefined;
    const failure = failureOf(before);
    const origin = originOf(environment.kind, rule);
    gate.wait({ origin, namespace, stage, direction, sinceMs: fromMs, shown: failure, isBlocked });
    const { generation, order } = this.#versionOf(rule);
    const stageWait: StageWait = {
      stage,
      forStage: before.obstacle?.stage ?? before.closest,
      generation,
      ...(order === undefined ? {} : { order }),
      ...(next === undefined ? {} : { since: next }),
    };
    const why = waitText({ ...before, stage, forStage: stageWait.forStage, direction, soakMs: gate.soakMs });
    return { stageWait, message: `${why}${wrongRelease(rule)}` };
  }

  /** Lets a change proceed to the next stage, once. */
  async #release(attempt: Attempt, entries: readonly Entry[], known: ReadonlyMap<number, Entry>): Promise<undefined> {
    const { stage = 0 } = entries.at(-1) ?? {};
    await this.#consumeRelease(attempt, stage);
    const later = [...known.values()].filter((entry) => entry.stage > stage);
    await this.store(attempt, { entries: [...entries, ...later], wait: undefined });
  }

  /** Removes the annotation first: if this process ends afterwards, the change waits again instead of reaching two stages. */
  async #consumeRelease({ rule, client }: Attempt, stage: number): Promise<void> {
    const { kind, reporter } = this.#options.environment;
    await patchAnnotation(client, kind, rule, releaseAnnotation, undefined);
    reporter.report(rule, "RolloutReleased", `Someone released the rollout: stage ${stage} begins`);
  }

  #planOf(
    { rule }: Attempt,
    stages: readonly CnfStage[],
    entries: readonly Entry[],
    wait: Wait | undefined,
  ): StagePlan {
    const own = this.#versionOf(rule);
    const versions = new Map<DeepReadonly<Pod>, Rule>();
    const done = new Set<DeepReadonly<Pod>>();
    const spec = this.#storedSpec(rule);
    const filled = entries.map((entry) =>
      entry.generation === own.generation && spec !== undefined ? { ...entry, spec } : entry,
    );
    for (const entry of filled) {
      const isOwn = entry.generation === own.generation && entry.order === own.order;
      const version = isOwn ? rule : this.#olderVersion(rule, entry);
      for (const pod of stages.find(({ stage }) => stage === entry.stage)?.pods ?? []) {
        if (version) versions.set(pod, version);
        if (entry.appliedTime !== undefined) done.add(pod);
      }
    }
    return { stages, versions, applied: done, entries: filled, wait };
  }

  #versionOf(rule: Rule): { readonly generation: number; readonly order?: number } {
    const generation = rule.metadata.generation ?? 0;
    const { kind } = this.#options.environment;
    return kind.precedence && !isBeingDeleted(rule) ? { generation, order: orderOf(rule).order } : { generation };
  }

  /** Returns the spec to store, without keys, or undefined if the spec cannot be stored without keys or is too long. */
  #storedSpec(rule: Rule): object | undefined {
    const { kind } = this.#options.environment;
    const keys = new Set(kind.secretFields.map(({ field }) => field));
    const spec = Object.fromEntries(Object.entries(rule.spec ?? {}).filter(([field]) => !keys.has(field)));
    const text = JSON.stringify(spec);
    const secrets = kind.secrets(rule).flatMap((secret) => (secret ? JSON.stringify(secret).slice(1, -1) : []));
    return text.length > maxSpecLength || secrets.some((secret) => text.includes(secret)) ? undefined : spec;
  }

  /**
   * Returns a rule with the spec and order of an earlier generation, and the current keys, or undefined if its spec is
   * not stored.
   */
  #olderVersion(rule: Rule, { generation, order, spec }: Entry): Rule | undefined {
    if (spec === undefined) return undefined;
    const keys = new Set(this.#options.environment.kind.secretFields.map(({ field }) => field));
    const current = Object.entries(rule.spec ?? {}).filter(([field]) => keys.has(field));
    const annotations = { ...rule.metadata.annotations };
    delete annotations[orderAnnotation];
    if (order !== undefined) annotations[orderAnnotation] = String(order);
    const older: DeepReadonly<RuleObject> = {
      ...rule,
      metadata: { ...rule.metadata, generation, annotations },
      spec: { ...spec, ...Object.fromEntries(current) },
    };
    return older;
  }
}

const byStage = (a: Entry, b: Entry): number => a.stage - b.stage;
const applied = (appliedTime: string | undefined): Pick<Entry, "appliedTime"> =>
  appliedTime === undefined ? {} : { appliedTime };
const isReleased = ({ metadata }: Rule): boolean => metadata.annotations?.[releaseAnnotation] === "now";

/** Returns the part of a message about a malformed release annotation. */
function wrongRelease({ metadata }: Rule): string {
  const text = metadata.annotations?.[releaseAnnotation];
  if (text === undefined || text === "now") return "";
  return `; annotation ${releaseAnnotation}: ${JSON.stringify(text.slice(0, 64))} is not "now"; set it to "now" to continue, or remove it`;
}

const waitingResult = (
  state: typeof State.applying | typeof State.deleting,
  { message }: Wait,
): Conclusion["result"] => ({
  state,
  message,
  reason: Reason.waitingForStage,
  reachable: responding,
});

/** Returns entries with the specs that their lower stages have. */
function expanded(entries: DeepReadonly<RuleStatus>["stages"] = []): readonly Entry[] {
  let last: Entry | undefined;
  return entries
    .toSorted((a, b) => a.stage - b.stage)
    .map((entry) => {
      const inherited = last?.generation === entry.generation ? last.spec : undefined;
      const spec = entry.spec ?? inherited;
      last = spec === undefined ? { ...entry } : { ...entry, spec: { ...spec } };
      return last;
    });
}

/** Returns the fields of a status. Each spec is stored once. */
function stagedOf(entries: readonly Entry[], stageWait: StageWait | undefined): Staged {
  let [last, length]: [Entry | undefined, number] = [undefined, 0];
  const stages = entries.map((entry) => {
    const { spec, ...others } = entry;
    const isInherited = last?.generation === entry.generation && last.spec !== undefined;
    last = entry;
    if (isInherited || spec === undefined) return others;
    length += JSON.stringify(spec).length;
    return length > maxSpecLength ? others : entry;
  });
  return { stages, ...(stageWait ? { stageWait } : {}) };
}
