import { type DeepReadonly, hasFinalizer, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Deployment } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { purposeLabel, releaseAnnotation } from "../api/group.ts";
import { isPaused } from "../api/pause.ts";
import { type RuleStatus, State } from "../api/status.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { byPurpose } from "../cnf/indexes.ts";
import type { Origin } from "../cnf/session/change.ts";
import { stageOf } from "../cnf/stages.ts";
import { effectiveIn, Reason, readyReason } from "../reporting/conditions.ts";
import { type EventReporter, silentReporter } from "../reporting/event-reporter.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { isBeingDeleted, type Rule } from "./rule.ts";
import { isInForce, placeOf } from "./rule-status.ts";

export interface StageGateOptions {
  readonly reader: Reader;
  /** Every rule kind. */
  readonly kinds: readonly CnfKind[];
  readonly scope: CnfScope;
  /** Time for which a stage must be in sync and effective before the next stage gets a change, in milliseconds. */
  readonly soakMs: number;
  /** Reconciles a rule whose wait has ended. */
  readonly trigger: (origin: Origin) => void;
  /** Creates an Event when a rollout stops. Default: no Events. */
  readonly reporter?: EventReporter;
  readonly clock: Clock;
}

/** `forward` is a change, which waits for lower stages. `backward` is a deletion, which waits for higher stages. */
export type Direction = "forward" | "backward";

/** Reason why a stage is not ready. */
interface Obstacle {
  readonly stage: number;
  /** The resource and its problem, without secrets. */
  readonly text: string;
  /** True if it does not end by itself, so that the rollout stops. */
  readonly isFailure: boolean;
  readonly deployment: DeepReadonly<Deployment>;
  readonly rule: Rule;
}

/** The stages for which a change waits. */
export interface StagesBefore {
  /** The closest of these stages. Undefined if there is none, in which case the change need not wait. */
  readonly closest: number | undefined;
  readonly obstacle: Obstacle | undefined;
  /** Time at which all of these stages became ready. Not meaningful if there is an obstacle. */
  readonly sinceMs: number;
}

interface StageState {
  readonly stage: number;
  readonly forward: Obstacle | undefined;
  readonly backward: Obstacle | undefined;
  readonly sinceMs: number;
}

interface Waiting {
  readonly origin: Origin;
  readonly namespace: string;
  /** The stage that does not have the change yet. */
  readonly stage: number;
  readonly direction: Direction;
  /** Earliest time from which the soak time counts. */
  readonly sinceMs: number;
  /** The failure that the status of the rule shows. */
  readonly shown: string | undefined;
  /** True if the rule must be reconciled as soon as there is no obstacle, to store the time from which its wait counts. */
  readonly isBlocked: boolean;
}

/** Interval between checks while a change waits for a stage. */
const tickMs = 1_000;
/** Maximum age of the state of a namespace. It is lower for shorter soak times. */
const maxAgeMs = 500;
/** Maximum number of rules per tick whose status gets another message. */
const maxRefreshed = 50;
const maxTextLength = 300;

/** Reasons of the Ready condition that stop a rollout. All others end by themselves, or do not concern the CNF. */
const failures: ReadonlySet<string | undefined> = new Set([
  Reason.refused,
  Reason.invalid,
  Reason.unreachable,
  Reason.drifted,
  Reason.rolledBack,
]);

/**
 * Determines when the next stage in a namespace may receive a change: once all resources in the previous stages have
 * been in sync and effective for the soak time. All information comes from the resources' statuses, so that another
 * process of the operator gets the same result.
 */
export class StageGate {
  readonly soakMs: number;
  readonly #options: StageGateOptions;
  readonly #reporter: EventReporter;
  readonly #states = new Map<string, { readonly atMs: number; readonly states: Promise<readonly StageState[]> }>();
  readonly #waiting = new Map<string, Waiting>();
  /** The last failure reported for a namespace and stage. */
  readonly #reported = new Map<string, string>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: StageGateOptions) {
    this.#options = options;
    this.soakMs = options.soakMs;
    this.#reporter = options.reporter ?? silentReporter;
  }

  /** Returns the state of the stages that must be ready before a stage gets a change. */
  async before(namespace: string, stage: number, direction: Direction): Promise<StagesBefore> {
    const all = await this.#stagesOf(namespace);
    const isForward = direction === "forward";
    const before = all.filter((each) => (isForward ? each.stage < stage : each.stage > stage));
    const obstacles = before.flatMap((each) => (isForward ? each.forward : each.backward) ?? []);
    const stages = before.map((each) => each.stage);
    return {
      closest: stages.length === 0 ? undefined : isForward ? Math.max(...stages) : Math.min(...stages),
      obstacle: obstacles.find(({ isFailure }) => isFailure) ?? obstacles[0],
      sinceMs: Math.max(...before.map(({ sinceMs }) => sinceMs)),
    };
  }

  /** Reports whether these stages, and the rule itself since `sinceMs`, have been ready for the soak time. */
  isOpen({ obstacle, sinceMs }: StagesBefore, ownMs: number): boolean {
    return obstacle === undefined && this.#options.clock.now() >= Math.max(sinceMs, ownMs) + this.soakMs;
  }

  /** Reconciles a rule as soon as its wait has ended. */
  wait(waiting: Waiting): void {
    this.#waiting.set(idOf(waiting.origin), waiting);
    this.#schedule();
  }

  forget(origin: Origin): void {
    this.#waiting.delete(idOf(origin));
  }

  /** Returns the number of waiting rules for each namespace and stage. */
  counts(): readonly { readonly namespace: string; readonly stage: number; readonly count: number }[] {
    const groups = Map.groupBy(this.#waiting.values(), ({ namespace, stage }) => `${stage} ${namespace}`);
    return [...groups.values()].flatMap((all) => {
      const [first] = all;
      return first ? [{ namespace: first.namespace, stage: first.stage, count: all.length }] : [];
    });
  }

  /** Ends all waits. The next process continues where this one ended, because nothing depends on this process's memory. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#waiting.clear();
  }

  #schedule(): void {
    if (this.#isClosed || this.#waiting.size === 0) return;
    this.#timer ??= this.#options.clock.after(tickMs, () => void this.#tick(), { unref: true });
  }

  async #tick(): Promise<void> {
    let refreshed = 0;
    for (const waiting of [...this.#waiting.values()]) {
      const { origin, namespace, stage, direction, sinceMs, shown, isBlocked } = waiting;
      const before = await this.before(namespace, stage, direction).catch(() => undefined); // the next tick tries again
      if (!before || this.#waiting.get(idOf(origin)) !== waiting) continue;
      const { obstacle } = before;
      this.#report(namespace, stage, direction, obstacle);
      const failure = failureOf(before);
      const isOpen =
        before.closest === undefined || (isBlocked ? obstacle === undefined : this.isOpen(before, sinceMs));
      const isOutdated = failure !== shown && refreshed < maxRefreshed;
      if (!isOpen && !isOutdated) continue;
      if (!isOpen) refreshed++;
      this.#waiting.delete(idOf(origin));
      this.#options.trigger(origin);
    }
    this.#timer = undefined;
    this.#schedule();
  }

  #report(namespace: string, stage: number, direction: Direction, obstacle: Obstacle | undefined): void {
    const id = `${namespace} ${stage} ${direction}`;
    const failure = obstacle?.isFailure ? obstacle : undefined;
    if (failure && this.#reported.get(id) !== failure.text) {
      const what = direction === "forward" ? "The rollout" : "The deletion";
      this.#reporter.report(
        failure.deployment,
        "RolloutStopped",
        `${what} stops before stage ${stage}: ${failure.text}; fix this, or annotate the waiting resources with ${releaseAnnotation}=now`,
        failure.rule,
      );
    }
    if (failure) this.#reported.set(id, failure.text);
    else this.#reported.delete(id);
  }

  #stagesOf(namespace: string): Promise<readonly StageState[]> {
    const { clock } = this.#options;
    const nowMs = clock.monotonic();
    const known = this.#states.get(namespace);
    if (known && nowMs - known.atMs < Math.min(maxAgeMs, this.soakMs / 2)) return known.states;
    const states = this.#determine(namespace);
    this.#states.clear(); // only the last one is used again
    this.#states.set(namespace, { atMs: nowMs, states });
    states.catch(() => this.#states.delete(namespace)); // the caller handles the failure
    return states;
  }

  async #determine(namespace: string): Promise<readonly StageState[]> {
    const { reader, kinds, scope } = this.#options;
    const states = new Map<number, StageState>();
    for (const deployment of await reader.list(Deployment, { namespace })) {
      const [stage, purpose] = [stageOf(deployment), deployment.metadata.labels?.[purposeLabel]];
      if (stage === undefined || purpose === undefined) continue;
      if (deployment.metadata.deletionTimestamp || deployment.spec?.replicas === 0) continue;
      let state = states.get(stage) ?? { stage, forward: undefined, backward: undefined, sinceMs: 0 };
      for (const kind of kinds)
        for (const rule of await reader.list(kind.kind, { fields: { [byPurpose]: purpose } }))
          if (scope.allows(rule.metadata.namespace, namespace)) state = combined(state, kind, rule, deployment);
      states.set(stage, state);
    }
    return [...states.values()].toSorted((a, b) => a.stage - b.stage);
  }
}

/** Describes the failure that stops a rollout. */
export const failureOf = ({ obstacle }: Pick<StagesBefore, "obstacle">): string | undefined =>
  obstacle?.isFailure ? obstacle.text : undefined;

/** Explains why a stage does not receive a change or deletion yet. */
export function waitText({
  stage,
  forStage,
  direction,
  soakMs,
  obstacle,
}: Pick<StagesBefore, "obstacle"> & {
  readonly stage: number;
  readonly forStage: number;
  readonly direction: Direction;
  readonly soakMs: number;
}): string {
  const failure = failureOf({ obstacle });
  if (failure !== undefined)
    return `Stopped before stage ${stage}: ${failure}; fix this, or continue by setting the annotation ${releaseAnnotation}=now`;
  const must = direction === "backward" ? "complete" : "in sync and effective";
  return `Waits for stage ${forStage}, which must be ${must} for ${soakMs / 1_000} s`;
}

/**
 * Reports whether the CNFs in a stage do not yet have the current version of a rule, or still have the object of a
 * deleted rule.
 */
export function isDueOn(stage: number, kind: CnfKind, rule: Rule): boolean {
  const { metadata, status } = rule;
  const entry = status?.stages?.find((each) => each.stage === stage);
  if (isBeingDeleted(rule)) return entry ? entry.generation !== 0 : !status?.stages;
  if (!entry) return !isInForce(rule, status);
  return entry.generation !== (metadata.generation ?? 0) || !isOrderOf(entry, kind, rule);
}

function combined(state: StageState, kind: CnfKind, rule: Rule, deployment: DeepReadonly<Deployment>): StageState {
  const { stage } = state;
  if (isPaused(rule)) return state;
  const name = `${kind.kind.kind} ${keyOf(rule)}`;
  const obstacleOf = (isFailure: boolean, text: string): Obstacle => ({
    stage,
    isFailure,
    text: `${name} ${text}`.slice(0, maxTextLength),
    deployment,
    rule,
  });
  const entry = rule.status?.stages?.find((each) => each.stage === stage);
  const since = { sinceMs: Math.max(state.sinceMs, timeOf(entry?.soakingSince)) };
  if (isBeingDeleted(rule)) {
    if (!hasFinalizer(rule, kind.finalizer) || !rule.status?.stages) return state;
    if (!entry || entry.generation === 0) return { ...state, ...since };
    return { ...state, backward: state.backward ?? obstacleOf(false, `is still on a CNF of stage ${stage}`) };
  }
  const reason = readyReason(rule.status);
  if (rule.status?.state === State.idle || reason === Reason.nameTaken) return state;
  const isCurrent = entry?.generation === (rule.metadata.generation ?? 0) && isOrderOf(entry, kind, rule);
  if (isCurrent && entry?.soakingSince !== undefined) return { ...state, ...since };
  const failure = failureText(rule, isCurrent && entry?.appliedTime !== undefined);
  const obstacle = obstacleOf(failure !== undefined, failure ?? `is not in sync with stage ${stage}`);
  const forward =
    failure === undefined ? (state.forward ?? obstacle) : isFailed(state.forward) ? state.forward : obstacle;
  const backward = failure === undefined || isFailed(state.backward) ? state.backward : obstacle;
  return { ...state, forward, backward };
}

const isFailed = (obstacle: Obstacle | undefined): boolean => obstacle?.isFailure ?? false;

/** Returns why a rule stops a rollout, or undefined if it is only not in sync yet. */
function failureText({ metadata, status }: Rule, isApplied: boolean): string | undefined {
  const effective = effectiveIn(status);
  if (effective?.status === "False") return `has no effect: ${effective.message}`;
  if (status?.observedGeneration !== (metadata.generation ?? 0)) return undefined;
  const reason = readyReason(status);
  if (failures.has(reason)) return `is not in sync: ${status.message ?? ""}`;
  return isApplied && reason === Reason.waitingForStage ? String(status.message ?? "") : undefined;
}

type Entry = DeepReadonly<NonNullable<RuleStatus["stages"]>[number]>;

/** Reports whether an entry has the position that the order annotation of a rule requires. */
const isOrderOf = (entry: Entry | undefined, { precedence }: CnfKind, rule: Rule): boolean =>
  precedence === undefined || entry?.order === placeOf(rule);

/** Parses a time in a status and returns milliseconds. Statuses contain whole seconds, so the time is rounded up. */
export const timeOf = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text) + 999);

const idOf = ({ kind, key }: Origin): string => `${kind} ${key}`;
