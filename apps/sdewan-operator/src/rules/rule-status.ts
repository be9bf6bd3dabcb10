import { compareResourceVersions, type DeepReadonly, ignoreNotFound, jsonEqual, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ObjectEvent } from "@kubewright/controller";
import { type RuleStatus, State } from "../api/status.ts";
import {
  type ConditionValue,
  conditionsOf,
  effectiveIn,
  type Health,
  inForce,
  notApplied,
  notReady,
  notReported,
  type Reason,
  responding,
} from "../reporting/conditions.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { orderOf, orderProblem } from "../uci/order.ts";
import { purposeOf, type Rule, uidOf } from "./rule.ts";

export type RuleResult =
  | {
      readonly state: typeof State.inSync;
      readonly changed: boolean;
      /** True if the object on the CNF was changed or missing. */
      readonly drifted?: boolean;
      /**
       * True if the object on the CNF was unchanged, but in the wrong position because someone moved it or other
       * objects.
       */
      readonly displaced?: boolean;
      /** The object's effect on packets. By default, the effect is not reported. */
      readonly effective?: ConditionValue;
    }
  | {
      readonly state: Exclude<State, typeof State.inSync>;
      readonly message: string;
      readonly reason: Reason;
      /** True if the CNF responds. Undefined if unknown. */
      readonly reachable?: ConditionValue | undefined;
    };

/** The part of a status that describes a staged rollout. `null` removes it. */
export type Staged = Pick<RuleStatus, "stages" | "stageWait">;

/** Returns the conditions for a result. */
export const healthOf = (result: RuleResult): Health =>
  result.state === State.inSync
    ? { ready: inForce, reachable: responding, effective: result.effective ?? notReported }
    : { ready: notReady(result.reason, result.message), reachable: result.reachable, effective: notApplied };

/**
 * Returns the status to write, or undefined if the status already has these values. After a failure, the data from the
 * last success is kept.
 *
 * @param heldBy purpose of the CNF that still has the object although the rule now specifies a different CNF; stored so
 * that a later process can delete the object there
 * @param order position of the object relative to the others; undefined if the order has no effect @param staged the staged
 * rollout; null removes it, undefined leaves it unchanged
 */
export function statusPatch(
  object: Rule,
  current: DeepReadonly<RuleStatus> | undefined,
  result: RuleResult,
  nowMs: number,
  heldBy?: string,
  order?: number,
  staged?: Staged | null,
): Record<string, unknown> | undefined {
  const isPurposeStored = heldBy === undefined || heldBy === current?.appliedPurpose;
  const unchanged = isPurposeStored ? unchangedFields(object, current, result, order) : undefined;
  const conditions = conditionsOf(object.metadata.generation, current, healthOf(result), nowMs);
  const stagedFields = stagedPatch(current, staged);
  if (unchanged && conditions.isUpToDate && !stagedFields) return undefined;
  return { ...(unchanged ?? newFields(object, result, nowMs, heldBy, order)), ...conditions.status, ...stagedFields };
}

/** Returns the patch for the fields of a rollout in stages, or undefined if they are stored. */
function stagedPatch(
  current: DeepReadonly<Staged> | undefined,
  staged: Staged | null | undefined,
): Record<string, unknown> | undefined {
  if (staged === undefined) return undefined;
  const { stages, stageWait } = staged ?? {};
  if (jsonEqual(current?.stages, stages) && jsonEqual(current?.stageWait, stageWait)) return undefined;
  const wait = stageWait && { ...stageWait, order: stageWait.order ?? null, since: stageWait.since ?? null };
  return { stages: stages ?? null, stageWait: wait ?? null };
}

/** Returns the stored fields if they already match the fields to write. */
function unchangedFields(
  object: Rule,
  current: DeepReadonly<RuleStatus> | undefined,
  result: RuleResult,
  order: number | undefined,
): Record<string, unknown> | undefined {
  if (current?.state !== result.state) return undefined;
  const { state, message = null, appliedGeneration, appliedTime, appliedPurpose } = current;
  if (result.state !== State.inSync) return message === result.message ? { state, message } : undefined;
  if (message || result.changed || appliedGeneration !== (object.metadata.generation ?? 0)) return undefined;
  if (appliedPurpose !== undefined && appliedPurpose !== purposeOf(object)) return undefined;
  if (!isOrderStored(current, order)) return undefined;
  return { ...withPurpose({ state, appliedGeneration, appliedTime }, appliedPurpose), message: null };
}

/** Reports whether a status contains this order, or no order, because the reference CRDs do not have the field. */
const isOrderStored = ({ appliedOrder }: DeepReadonly<RuleStatus>, order: number | undefined): boolean =>
  order === undefined || appliedOrder === undefined || appliedOrder === order;

function newFields(
  object: Rule,
  result: RuleResult,
  nowMs: number,
  heldBy: string | undefined,
  order: number | undefined,
): Record<string, unknown> {
  const { state } = result;
  if (state !== State.inSync) return withPurpose({ state, message: result.message }, heldBy);
  const applied = { state, appliedGeneration: object.metadata.generation ?? 0, appliedTime: rfc3339(nowMs) };
  const placed = order === undefined ? applied : { ...applied, appliedOrder: order };
  return { ...withPurpose(placed, purposeOf(object)), message: null };
}

const withPurpose = (fields: Record<string, unknown>, appliedPurpose: string | undefined): Record<string, unknown> =>
  appliedPurpose === undefined ? fields : { ...fields, appliedPurpose };

/**
 * Reports whether the CNF's services have been restarted since the current object was written at its current position.
 */
export const isInForce = (rule: Rule, status: DeepReadonly<RuleStatus> | undefined): boolean =>
  status?.state === State.inSync &&
  status.appliedGeneration === rule.metadata.generation &&
  isOrderStored(status, placeOf(rule));

/** Returns a rule's position among others, or undefined if the order annotation is malformed. */
export const placeOf = (rule: Rule): number | undefined =>
  orderProblem(rule) === undefined ? orderOf(rule).order : undefined;

/** Returns the content of a status, without times and generations, as a string for comparison. */
const summaryOf = (status: DeepReadonly<RuleStatus> | undefined): string => {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return JSON.stringify([status?.state, status?.message ?? "", ready?.status]);
};

const summaryOfResult = (result: RuleResult): string => {
  const message = result.state === State.inSync ? "" : result.message;
  return JSON.stringify([result.state, message, healthOf(result).ready.status]);
};

/** Reports whether a result differs from a status only in whether the object has an effect. */
export function isOnlyEffect(before: DeepReadonly<RuleStatus> | undefined, result: RuleResult): boolean {
  if (result.state !== State.inSync || result.changed || summaryOf(before) !== summaryOfResult(result)) return false;
  const [old, now] = [effectiveIn(before), result.effective];
  return old?.status !== now?.status || old?.message !== now?.message;
}

/** Returns a negative number if the observed object is older than the written one, 0 if they are the same. Undefined if unknown. */
const ageOf = ({ metadata: seen }: Rule, { metadata: wrote }: Rule): number | undefined =>
  seen.resourceVersion === undefined || wrote.resourceVersion === undefined
    ? undefined
    : compareResourceVersions(seen.resourceVersion, wrote.resourceVersion);

/** Writes statuses, and stores what was written. */
export class RuleStatusWriter {
  readonly #kind: CnfKind;
  readonly #clock: Clock;
  readonly #written = new Map<string, RuleObject>();
  /** Content of each object's last status, without times and generations, whether or not the status had to be written. */
  readonly #summaries = new Map<string, string>();

  constructor(kind: CnfKind, clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  /** Returns the most recent known status of an object. */
  current(object: Rule): DeepReadonly<RuleStatus> | undefined {
    const written = this.#written.get(uidOf(object));
    return written && (ageOf(object, written) ?? 0) < 0 ? written.status : object.status;
  }

  /** Writes the status for a result, unless the status is up to date. @returns true if a write was necessary */
  async write(
    writer: Writer,
    object: Rule,
    result: RuleResult,
    heldBy?: string,
    staged?: Staged | null,
  ): Promise<boolean> {
    this.#summaries.set(uidOf(object), summaryOfResult(result));
    const order = this.#kind.precedence && placeOf(object);
    const patch = statusPatch(object, this.current(object), result, this.#clock.now(), heldBy, order, staged);
    if (!patch) return false;
    await this.#patch(writer, object, patch);
    return true;
  }

  /** Writes only the state of a staged rollout, unless it is already stored. */
  async writeStages(writer: Writer, object: Rule, staged: Staged): Promise<void> {
    const current = this.current(object);
    const patch = stagedPatch(current, staged);
    // Every status must have a state.
    if (patch) await this.#patch(writer, object, current ? patch : { state: State.applying, ...patch });
  }

  async #patch(writer: Writer, object: Rule, patch: Record<string, unknown>): Promise<void> {
    // An object that was deleted in the meantime needs no status.
    const stored = await writer.status.patch(this.#kind.kind, keyOf(object), patch).catch(ignoreNotFound);
    if (stored) this.#written.set(uidOf(object), stored);
  }

  /**
   * Reports whether someone else (a person, or a former leader with a late write) changed a status to a value that this process did not
   * write.
   */
  contradicts(event: ObjectEvent<RuleObject>): boolean {
    if (event.type !== "update") return false;
    const { object, old } = event;
    const [expected, written] = [this.#summaries.get(uidOf(object)), this.#written.get(uidOf(object))];
    if (expected === undefined || (written && (ageOf(object, written) ?? 1) <= 0)) return false;
    const summary = summaryOf(object.status);
    return summary !== expected && summary !== summaryOf(old.status);
  }

  forget(object: Rule): void {
    this.#written.delete(uidOf(object));
    this.#summaries.delete(uidOf(object));
  }
}
