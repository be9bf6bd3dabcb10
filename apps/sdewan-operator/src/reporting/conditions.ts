import { type Condition, type DeepReadonly, type NewCondition, setCondition } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import type { ConditionStatus } from "../api/conditions.ts";

/** Reasons in conditions and events. */
export const Reason = {
  applied: "Applied",
  waiting: "Waiting",
  refused: "Refused",
  invalid: "InvalidSpec",
  nameTaken: "NameTaken",
  unreachable: "CnfUnreachable",
  noCnf: "NoCnf",
  deleting: "Deleting",
  drifted: "Drifted",
  /** The CNF's probes failed after the change, so the last confirmed object was restored. */
  rolledBack: "RolledBack",
  paused: "Paused",
  /** The change is waiting for another stage of a rollout. */
  waitingForStage: "WaitingForStage",
  /** Earlier rules decide all packets of the rule. */
  shadowed: "Shadowed",
  /** The fields of the rule contradict each other. */
  matchesNothing: "MatchesNothing",
  /** None of the interfaces of an Mwan3Policy is online. */
  membersOffline: "MembersOffline",
  memberOnline: "MemberOnline",
  /** The policy of an Mwan3Rule has no effect. */
  policyIneffective: "PolicyIneffective",
  tunnelDown: "TunnelDown",
  tunnelsUp: "TunnelsUp",
  /** The CNF does not report whether the object has an effect. */
  notReported: "NotReported",
  /** The CNF does not have the current object. */
  notApplied: "NotApplied",
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];

/** The content of a condition: its status, a one-word reason, and a human-readable message. */
export interface ConditionValue {
  readonly status: Condition["status"];
  readonly reason: Reason | "Answers";
  readonly message: string;
}

/** The state of an object. */
export interface Health {
  readonly ready: ConditionValue;
  /** Condition that shows whether the CNF responds. If undefined, the CNF was not queried, so its last known state is retained. */
  readonly reachable?: ConditionValue | undefined;
  /** Condition that shows whether the object has an effect on packets. If undefined, the object has no such condition. */
  readonly effective?: ConditionValue | undefined;
}

/** The condition for an object whose spec has taken effect on the CNF. */
export const inForce: ConditionValue = { status: "True", reason: Reason.applied, message: "" };
/** The condition for an object whose CNF responds. */
export const responding: ConditionValue = { status: "True", reason: "Answers", message: "" };
/** The condition for an object without a CNF. */
export const noCnf: ConditionValue = { status: "Unknown", reason: Reason.noCnf, message: "" };

/** The condition for an object whose effect the CNF does not report. */
export const notReported: ConditionValue = { status: "Unknown", reason: Reason.notReported, message: "" };
/** The condition for an object that is missing on the CNF or differs from the current spec there. */
export const notApplied: ConditionValue = { status: "Unknown", reason: Reason.notApplied, message: "" };

/** Returns the condition for an object that is configured on the CNF but has no effect. */
export const ineffective = (reason: Reason, message: string): ConditionValue => ({ status: "False", reason, message });

/** Returns the condition for an object whose spec has not taken effect yet. */
export const notReady = (reason: Reason, message: string): ConditionValue => ({ status: "False", reason, message });
/** Returns the condition for an object whose CNF does not respond or rejects the credentials. */
export const unreachable = (message: string): ConditionValue => ({
  status: "False",
  reason: Reason.unreachable,
  message,
});

/** The part of a status that describes an object's state. */
export interface Conditions {
  readonly status: Required<ConditionStatus>;
  /** True if the status already has these conditions. */
  readonly isUpToDate: boolean;
}

/**
 * Returns all conditions for an object's state. Every status write must contain all conditions: the status that this
 * process has read may be outdated, and conditions from another writer must not remain alongside the new fields.
 *
 * @param current the current status
 */
export function conditionsOf(
  generation: number | undefined = 0,
  current: DeepReadonly<ConditionStatus> | undefined,
  { ready, reachable, effective }: Health,
  nowMs: number,
): Conditions {
  const conditions = (current?.conditions ?? []).map((condition): Condition => {
    const { observedGeneration, ...others } = condition;
    return observedGeneration === undefined ? others : { ...others, observedGeneration };
  });
  const now = rfc3339(nowMs);
  const values: [string, ConditionValue | undefined][] = [
    ["Ready", ready],
    ["Reachable", reachable],
    ["Effective", effective],
  ];
  const changed = values.map(([type, value]) => value && setCondition(conditions, next(type, value, generation), now));
  const isUpToDate = current?.observedGeneration === generation && !changed.includes(true);
  return { status: { observedGeneration: generation, conditions }, isUpToDate };
}

const next = (type: string, value: ConditionValue, observedGeneration: number): NewCondition => ({
  type,
  ...value,
  observedGeneration,
});

/** Returns the reason in the `Ready` condition. */
export const readyReason = (status: DeepReadonly<ConditionStatus> | undefined): string | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready")?.reason;

/**
 * Explains why an object's last change was rolled back, and what ends the hold. Returns undefined if the change was not
 * rolled back, or if the object has changed since then.
 */
export function heldMessage({
  metadata,
  status,
}: DeepReadonly<{ metadata: { generation?: number | undefined }; status?: ConditionStatus | undefined }>):
  | string
  | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const isCurrent = status?.observedGeneration === metadata.generation;
  return isCurrent && ready?.reason === Reason.rolledBack ? ready.message : undefined;
}

/** Reports whether, according to the conditions, an object's CNF does not respond. */
export const isUnreachable = (status: DeepReadonly<ConditionStatus> | undefined): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Reachable" && is === "False") ?? false;

/** Returns an object's `Effective` condition. */
export const effectiveIn = (
  status: DeepReadonly<ConditionStatus> | undefined,
): DeepReadonly<NonNullable<ConditionStatus["conditions"]>[number]> | undefined =>
  status?.conditions?.find(({ type }) => type === "Effective");

/** Returns the reason why an object has no effect. Returns an empty string if the object has an effect or its effect is unknown. */
export function ineffectiveMessage(status: DeepReadonly<ConditionStatus> | undefined): string {
  const effective = effectiveIn(status);
  return effective?.status === "False" ? effective.message : "";
}
