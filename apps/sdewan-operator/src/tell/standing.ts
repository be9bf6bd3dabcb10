import { type Condition, type DeepReadonly, type NewCondition, setCondition } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import type { ConditionStatus } from "../api/conditions.ts";

/** Why an object is as it is, in the words of conditions and events. */
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
  paused: "Paused",
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];

/** One condition's part: whether, why in one word, why for people. */
export interface Aspect {
  readonly status: Condition["status"];
  readonly reason: Reason | "Answers";
  readonly message: string;
}

/** How an object stands. */
export interface Standing {
  readonly ready: Aspect;
  /** Nothing: the CNF was not asked, so that what was known of it goes on holding. */
  readonly reachable?: Aspect | undefined;
}

/** In force, as the spec says. */
export const inForce: Aspect = { status: "True", reason: Reason.applied, message: "" };
/** The CNF answers. */
export const answers: Aspect = { status: "True", reason: "Answers", message: "" };
/** There is no CNF to ask. */
export const nobody: Aspect = { status: "Unknown", reason: Reason.noCnf, message: "" };

/** Something is missing until it is in force. */
export const notReady = (reason: Reason, message: string): Aspect => ({ status: "False", reason, message });
/** The CNF does not answer, or lets nobody in. */
export const unreachable = (message: string): Aspect => ({ status: "False", reason: Reason.unreachable, message });

/** The part of a status that says how an object stands. */
export interface Conditions {
  readonly status: Required<ConditionStatus>;
  /** Whether the status says so already. */
  readonly areSaid: boolean;
}

/**
 * The conditions of an object that stands so, all of them. Whoever writes any of a status writes them too: what this process has seen of it
 * may be old, and what somebody else wrote meanwhile must not stay beside what is written now.
 *
 * @param current the status as it is
 */
export function conditionsOf(
  generation: number | undefined = 0,
  current: DeepReadonly<ConditionStatus> | undefined,
  { ready, reachable }: Standing,
  nowMs: number,
): Conditions {
  const conditions = (current?.conditions ?? []).map((condition): Condition => {
    const { observedGeneration, ...others } = condition;
    return observedGeneration === undefined ? others : { ...others, observedGeneration };
  });
  const now = rfc3339(nowMs);
  const aspects: [string, Aspect | undefined][] = [
    ["Ready", ready],
    ["Reachable", reachable],
  ];
  const changed = aspects.map(
    ([type, aspect]) => aspect && setCondition(conditions, next(type, aspect, generation), now),
  );
  const areSaid = current?.observedGeneration === generation && !changed.includes(true);
  return { status: { observedGeneration: generation, conditions }, areSaid };
}

const next = (type: string, aspect: Aspect, observedGeneration: number): NewCondition => ({
  type,
  ...aspect,
  observedGeneration,
});

/** Why the conditions say that an object is not ready, or that it is. */
export const readyReason = (status: DeepReadonly<ConditionStatus> | undefined): string | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready")?.reason;

/** Whether the conditions say that the CNF of an object does not answer. */
export const isUnreachable = (status: DeepReadonly<ConditionStatus> | undefined): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Reachable" && is === "False") ?? false;
