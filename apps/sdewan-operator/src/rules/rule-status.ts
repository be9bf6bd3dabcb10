import { compareResourceVersions, type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { type RuleStatus, State } from "../api/status.ts";
import {
  type Aspect,
  answers,
  conditionsPatch,
  inForce,
  notReady,
  type Reason,
  type Standing,
} from "../tell/standing.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { purposeOf, type Rule, uidOf } from "./rule.ts";

export type Verdict =
  | {
      readonly state: typeof State.inSync;
      readonly changed: boolean;
      /** The CNF held it otherwise than it was left there. */
      readonly drifted?: boolean;
    }
  | {
      readonly state: Exclude<State, typeof State.inSync>;
      readonly message: string;
      readonly reason: Reason;
      /** Whether the CNF answers, if that has shown. */
      readonly reachable?: Aspect | undefined;
    };

/** What a verdict comes to in conditions. */
export const standingOf = (verdict: Verdict): Standing =>
  verdict.state === State.inSync
    ? { ready: inForce, reachable: answers }
    : { ready: notReady(verdict.reason, verdict.message), reachable: verdict.reachable };

/**
 * The part of a status to write; nothing if it says so already. A failure leaves what is known about the last success.
 */
export function statusPatch(
  object: Rule,
  current: DeepReadonly<RuleStatus> | undefined,
  verdict: Verdict,
  nowMs: number,
): Record<string, unknown> | undefined {
  const fields = fieldsPatch(object, current, verdict, nowMs);
  const conditions = conditionsPatch(object.metadata.generation, current, standingOf(verdict), nowMs);
  return fields || conditions ? { ...fields, ...conditions } : undefined;
}

function fieldsPatch(
  object: Rule,
  current: DeepReadonly<RuleStatus> | undefined,
  verdict: Verdict,
  nowMs: number,
): Record<string, unknown> | undefined {
  const { generation = 0 } = object.metadata;
  if (verdict.state !== State.inSync) {
    const { state, message } = verdict;
    return current?.state === state && current.message === message ? undefined : { state, message };
  }
  const purpose = purposeOf(object);
  const isSaid = current?.state === State.inSync && current.appliedGeneration === generation && !current.message;
  const isElsewhere = current?.appliedPurpose !== undefined && current.appliedPurpose !== purpose;
  if (isSaid && !isElsewhere && !verdict.changed) return undefined;
  const applied = { appliedGeneration: generation, appliedTime: rfc3339(nowMs) };
  return {
    state: State.inSync,
    ...applied,
    ...(purpose === undefined ? {} : { appliedPurpose: purpose }),
    message: null,
  };
}

/** Whether a restart of the CNF's services has covered the object as it is now. */
export const isInForce = ({ metadata }: Rule, status: DeepReadonly<RuleStatus> | undefined): boolean =>
  status?.state === State.inSync && status.appliedGeneration === metadata.generation;

/** Writes statuses, and remembers what it wrote until the cache has it. */
export class RuleStatusWriter {
  readonly #kind: CnfKind;
  readonly #clock: Clock;
  readonly #written = new Map<string, RuleObject>();

  constructor(kind: CnfKind, clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  /** The newest status known of an object. */
  current(object: Rule): DeepReadonly<RuleStatus> | undefined {
    const written = this.#written.get(uidOf(object));
    const [seen, wrote] = [object.metadata.resourceVersion, written?.metadata.resourceVersion];
    if (seen === undefined || wrote === undefined) return object.status;
    return (compareResourceVersions(seen, wrote) ?? 0) < 0 ? written?.status : object.status;
  }

  /** @returns whether there was anything to write */
  async write(writer: Writer, object: Rule, verdict: Verdict): Promise<boolean> {
    const patch = statusPatch(object, this.current(object), verdict, this.#clock.now());
    if (!patch) return false;
    // Deleted meanwhile: there is nothing left to have a status.
    const stored = await writer.status.patch(this.#kind.kind, keyOf(object), patch).catch(ignoreNotFound);
    if (stored) this.#written.set(uidOf(object), stored);
    return true;
  }

  forget(object: Rule): void {
    this.#written.delete(uidOf(object));
  }
}
