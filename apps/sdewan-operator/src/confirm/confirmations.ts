import { type DeepReadonly, isAlreadyExists, isConflict } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { type Deployment, Pod } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { type Logger, objectRef } from "@kubewright/log";
import { retryAnnotation } from "../api/group.ts";
import { isConnectionFailure, isRefusal } from "../cnf/cnf-error.ts";
import { deploymentOf } from "../cnf/discovery.ts";
import type { Change, Origin, Revision } from "../cnf/session/change.ts";
import type { Effect } from "../cnf/session/gathering.ts";
import type { ChangeGate, PodAccess } from "../cnf/session/session-pool.ts";
import type { EventReporter } from "../reporting/event-reporter.ts";
import { NoAnswerError, RolledBackError } from "./confirm-errors.ts";
import { type ConfirmSettings, confirmSettings } from "./confirm-settings.ts";
import { type ConfirmationStore, SetTooLargeError, type StoredConfirmations } from "./confirmation-store.ts";
import { type ConfirmedSet, changeKeyOf, confirm, type HeldResource, type Hold, isConfirmed } from "./confirmed-set.ts";
import type { ProbeResult, Probes } from "./probes.ts";

export interface ConfirmationsOptions {
  readonly reader: Reader;
  readonly store: ConfirmationStore;
  readonly probes: Probes;
  /** Time for confirmations on Deployments without the annotation, in milliseconds. 0 disables confirmation. */
  readonly defaultWaitMs: number;
  /** Interval between two attempts to confirm the first set of a pod, in milliseconds. */
  readonly intervalMs: number;
  /** Requests a reconcile of a resource. */
  readonly trigger: (origin: Origin) => void;
  readonly reporter: EventReporter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time without a change after which the first set of a pod may be confirmed. */
const quietMs = 1_000;
/** Time during which further changes join a batch that is being written. */
const maxJoinMs = 2_000;
/** Delay until the second round of probes after a change. Each further delay is longer, up to {@link maxProbeDelayMs}. */
const firstProbeDelayMs = 500;
const maxProbeDelayMs = 5_000;
/** Maximum number of changes in a batch, and of changes that wait for the next one. Each change occupies a worker that other CNFs need. */
const maxMembers = 256;
const maxWaiting = 32;
const sweepMs = 600_000;

/** A change of a batch. */
interface Member {
  readonly change: Change;
  readonly revision: Revision;
  /** True if the CNF may have the change. */
  isSent: boolean;
  result: { readonly effect: Effect } | { readonly error: unknown } | undefined;
}

type Verdict =
  | { readonly type: "confirmed" }
  | { readonly type: "failed"; readonly error: unknown }
  /** `failures`: errors for resources whose former object could not be restored. */
  | { readonly type: "rolledBack"; readonly reason: string; readonly failures: ReadonlyMap<Member, unknown> };

/** The changes that are confirmed or rolled back together. */
class Batch {
  readonly members: Member[] = [];
  readonly beganMs: number;
  /** Number of changes that are being written. */
  writing = 0;
  isOpen = true;
  readonly verdict: Promise<Verdict>;
  readonly decide: (verdict: Verdict) => void;

  constructor(beganMs: number) {
    this.beganMs = beganMs;
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    this.verdict = promise;
    this.decide = resolve;
  }
}

/** The work in progress on a pod. */
interface PodState {
  access: PodAccess;
  batch: Batch | undefined;
  /** Objects on a pod without a confirmed set, as far as this process knows them. */
  readonly candidate: ConfirmedSet;
  /** Number of changes that wait until the batch is confirmed. */
  waiting: number;
  /** Number of changes in progress while the pod has no confirmed set. */
  unguarded: number;
  timer: Timer | undefined;
}

/**
 * Confirms changes to CNFs whose Deployments request this. After a batch of changes, the CNF must respond on a new
 * connection, and its Deployment's probes must pass; until then, the changes are not complete. If the probes fail, the
 * last confirmed objects are restored, and the resources are held: their changes are not retried until one of the
 * resources changes.
 *
 * A pod is protected in this way once its probes have passed for the first time. Before that, there is nothing to
 * restore.
 */
export class Confirmations implements ChangeGate {
  readonly group = "leaderElection";
  readonly #options: ConfirmationsOptions;
  readonly #pods = new Map<string, PodState>();

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
  }

  /** Deletes stored data about deleted CNFs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, store, logger } = this.#options;
    while (!signal.aborted) {
      await store
        .sweep(this.#isConfirmed)
        .catch((err: unknown) => logger.debug({ err }, "cannot delete the confirmed sets of deleted CNFs"));
      for (const [uid, { access, timer }] of this.#pods)
        if (access.session.signal.aborted) {
          timer?.cancel();
          this.#pods.delete(uid);
        }
      await clock.sleep(sweepMs, signal);
    }
    for (const { timer } of this.#pods.values()) timer?.cancel();
    this.#pods.clear();
  }

  /**
   * Requests a change to a pod.
   *
   * @returns a promise that resolves when the change is confirmed
   * @throws {RolledBackError} if the change was rolled back, now or earlier
   * @throws {NoAnswerError} if the CNF has not responded since the change
   * @throws {Error} if an annotation of the Deployment is malformed, or the confirmed set cannot be read or saved
   */
  async submit(access: PodAccess, change: Change): Promise<Effect> {
    const { reader, defaultWaitMs, store } = this.#options;
    const { session, pod } = access;
    const { revision } = change;
    const deployment = await deploymentOf(reader, pod);
    if (!deployment || !revision) return session.submit(change);
    const settings = confirmSettings(deployment, defaultWaitMs);
    if (!settings) {
      await store.drop(deployment);
      return session.submit(change);
    }
    for (;;) {
      const confirmations = await store.of(deployment);
      const state = this.#stateOf(access);
      const set = confirmations.sets.get(pod.metadata.uid ?? "");
      if (set && isConfirmed(set, change)) return session.submit(change);
      const held = await this.#heldBy(confirmations, revision);
      if (held) return this.#restore(state, confirmations, change, held);
      if (!set) return this.#unguarded(state, deployment, change);
      if (change.inForce && change.desired !== undefined) return adopt(set, access, change);
      const { batch } = state;
      if (batch && !this.#mayJoin(batch)) {
        if (state.waiting >= maxWaiting) throw new Error("Waiting until earlier changes to the CNF are confirmed");
        state.waiting++;
        await batch.verdict;
        state.waiting--;
        continue;
      }
      return this.#join(state, confirmations, settings, { change, revision, isSent: false, result: undefined });
    }
  }

  readonly #isConfirmed = (deployment: DeepReadonly<Deployment>): boolean => {
    try {
      return confirmSettings(deployment, this.#options.defaultWaitMs) !== undefined;
    } catch {
      return true; // nothing is applied until somebody corrects the annotation
    }
  };

  #stateOf(access: PodAccess): PodState {
    const { uid = "" } = access.pod.metadata;
    const state = this.#pods.get(uid) ?? {
      access,
      batch: undefined,
      candidate: new Map(),
      waiting: 0,
      unguarded: 0,
      timer: undefined,
    };
    state.access = access;
    this.#pods.set(uid, state);
    return state;
  }

  /**
   * Returns the hold on a resource. If the resource has changed since then, ends the hold, and triggers the resources that were rolled back
   * together with this resource.
   */
  async #heldBy(
    confirmations: StoredConfirmations,
    { uid, text }: Revision,
  ): Promise<{ readonly hold: Hold; readonly resource: HeldResource } | undefined> {
    for (const hold of confirmations.holds) {
      const resource = hold.resources.find((each) => each.uid === uid);
      if (!resource) continue;
      if (resource.revision === text) return { hold, resource };
      confirmations.holds = confirmations.holds.filter((each) => each !== hold);
      try {
        await this.#store(confirmations);
      } finally {
        // Even after an error, because the API server may have stored the end of the hold.
        for (const other of hold.resources) if (other !== resource) this.#options.trigger(other.origin);
      }
    }
    return undefined;
  }

  /** Restores a held resource's confirmed object if the pod does not have it. Always rejects. */
  async #restore(
    { access, candidate }: PodState,
    confirmations: StoredConfirmations,
    change: Change,
    { hold, resource }: { readonly hold: Hold; readonly resource: HeldResource },
  ): Promise<never> {
    const { uid = "" } = access.pod.metadata;
    const restored = restoring(confirmations, uid, change, resource);
    try {
      await access.session.submit(restored);
    } catch (error) {
      throw notRestored(hold.reason, error);
    }
    confirm(candidate, restored);
    if (!resource.restoredOn.includes(uid)) {
      resource.restoredOn.push(uid);
      await this.#store(confirmations);
    }
    throw new RolledBackError(hold.reason);
  }

  /** Applies a change to a pod without a confirmed set. */
  async #unguarded(state: PodState, deployment: DeepReadonly<Deployment>, change: Change): Promise<Effect> {
    state.unguarded++;
    try {
      const effect = await state.access.session.submit(change);
      confirm(state.candidate, change);
      return effect;
    } finally {
      state.unguarded--;
      this.#confirmFirst(state, deployment, quietMs);
    }
  }

  /** Confirms a pod's first set after a delay. Tries again as long as its probes fail or changes are in progress. */
  #confirmFirst(state: PodState, deployment: DeepReadonly<Deployment>, delayMs: number): void {
    const { clock, logger, intervalMs } = this.#options;
    const { session, pod } = state.access;
    if (session.signal.aborted) return;
    state.timer ??= clock.after(
      delayMs,
      () => {
        state.timer = undefined;
        const isBusy = state.unguarded > 0;
        const attempt = isBusy ? Promise.resolve("busy" as const) : this.#firstAttempt(state, deployment);
        attempt
          .then((outcome) => {
            if (outcome !== "done") this.#confirmFirst(state, deployment, outcome === "busy" ? quietMs : intervalMs);
          })
          .catch((err: unknown) => {
            logger.debug({ err, pod: objectRef(pod) }, "cannot confirm a CNF's first set of objects");
            this.#confirmFirst(state, deployment, intervalMs);
          });
      },
      { unref: true },
    );
  }

  async #firstAttempt(state: PodState, { metadata }: DeepReadonly<Deployment>): Promise<"done" | "busy" | "failed"> {
    const { reader, store, probes, defaultWaitMs, logger } = this.#options;
    const { access, candidate } = state;
    const { uid = "" } = access.pod.metadata;
    const deployment = await deploymentOf(reader, access.pod);
    const settings = deployment && confirmSettings(deployment, defaultWaitMs);
    if (!deployment || !settings || deployment.metadata.uid !== metadata.uid) return "done";
    const confirmations = await store.of(deployment);
    if (confirmations.sets.has(uid)) return "done";
    const { signal } = access.session;
    const result = await probes.run(access.pod, settings.probes, access.connect, signal);
    if (result.failure !== undefined || signal.aborted) return "failed";
    if (state.unguarded > 0) return "busy";
    await this.#addSet(confirmations, uid, candidate);
    await this.#save(confirmations);
    logger.info({ pod: objectRef(access.pod), objects: candidate.size }, "confirmed a CNF's first set of objects");
    return "done";
  }

  /** Adds a pod's set, and drops the sets of pods that no longer exist. */
  async #addSet({ sets }: StoredConfirmations, uid: string, candidate: ConfirmedSet): Promise<void> {
    const pods = await this.#options.reader.list(Pod);
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const other of sets.keys()) if (!uids.has(other)) sets.delete(other);
    sets.set(uid, new Map(candidate));
  }

  #mayJoin({ isOpen, beganMs, members }: Batch): boolean {
    return isOpen && members.length < maxMembers && this.#options.clock.monotonic() - beganMs < maxJoinMs;
  }

  /** Writes a change as part of a batch, and waits until the batch is confirmed. */
  async #join(
    state: PodState,
    confirmations: StoredConfirmations,
    settings: ConfirmSettings,
    member: Member,
  ): Promise<Effect> {
    const batch = state.batch ?? new Batch(this.#options.clock.monotonic());
    state.batch = batch;
    batch.members.push(member);
    batch.writing++;
    const onSent = (): void => {
      member.isSent = true;
    };
    try {
      member.result = { effect: await state.access.session.submit({ ...member.change, onSent }) };
    } catch (error) {
      member.result = { error };
    }
    if (--batch.writing === 0) void this.#finish(state, confirmations, settings, batch); // never rejects
    const { result } = member;
    if ("error" in result && !isSuspect(member)) throw result.error; // it cannot be the cause
    const verdict = await batch.verdict;
    if (verdict.type === "rolledBack") throw verdict.failures.get(member) ?? new RolledBackError(verdict.reason);
    if ("error" in result) throw result.error;
    if (verdict.type === "failed") throw verdict.error;
    return result.effect;
  }

  /** Confirms a batch or rolls it back. Never rejects. */
  async #finish(
    state: PodState,
    confirmations: StoredConfirmations,
    settings: ConfirmSettings,
    batch: Batch,
  ): Promise<void> {
    batch.isOpen = false;
    const verdict = await this.#verdictOn(state, confirmations, settings, batch).catch(
      (error: unknown): Verdict => ({ type: "failed", error }),
    );
    state.batch = undefined;
    batch.decide(verdict);
  }

  async #verdictOn(
    { access }: PodState,
    confirmations: StoredConfirmations,
    { waitMs, probes }: ConfirmSettings,
    { members }: Batch,
  ): Promise<Verdict> {
    const { logger } = this.#options;
    const { pod, session } = access;
    const suspects = members.filter(isSuspect);
    if (suspects.length === 0) return { type: "confirmed" };
    const result = await this.#probed(access, { waitMs, probes });
    session.signal.throwIfAborted();
    if (!result.answers) {
      const names = suspects.slice(0, maxNames).map(({ change }) => nameOf(change.origin));
      this.#options.reporter.report(pod, "Unconfirmed", `${noAnswerText(waitMs)} Changes: ${names.join(", ")}`);
      return { type: "failed", error: new NoAnswerError(noAnswerText(waitMs)) };
    }
    if (result.failure !== undefined) return this.#rollBack(access, confirmations, suspects, result.failure, waitMs);
    const set = confirmations.sets.get(pod.metadata.uid ?? "");
    for (const { change, result: written } of members) if (set && written && "effect" in written) confirm(set, change);
    await this.#save(confirmations);
    logger.debug({ pod: objectRef(pod), changes: members.length }, "changes confirmed");
    return { type: "confirmed" };
  }

  /** Runs the probes until they pass or the time is up. */
  async #probed({ pod, session, connect }: PodAccess, { waitMs, probes }: ConfirmSettings): Promise<ProbeResult> {
    const { clock } = this.#options;
    const endMs = clock.monotonic() + waitMs;
    let delayMs = firstProbeDelayMs;
    for (;;) {
      const result = await this.#options.probes.run(pod, probes, connect, session.signal);
      const leftMs = endMs - clock.monotonic();
      if (result.failure === undefined || leftMs <= 0 || session.signal.aborted) return result;
      await clock.sleep(Math.min(delayMs, leftMs), session.signal);
      delayMs = Math.min(2 * delayMs, maxProbeDelayMs);
    }
  }

  async #rollBack(
    { pod, session }: PodAccess,
    confirmations: StoredConfirmations,
    suspects: readonly Member[],
    failure: string,
    waitMs: number,
  ): Promise<Verdict> {
    const { logger } = this.#options;
    const { uid = "" } = pod.metadata;
    const reason = rolledBackText(failure, waitMs);
    const held = new Map(
      suspects.map((member): [Member, HeldResource] => [
        member,
        {
          uid: member.revision.uid,
          revision: member.revision.text,
          origin: member.change.origin,
          restoredOn: [],
        },
      ]),
    );
    // Stored first, so that a successor of this process goes on with the roll-back.
    confirmations.holds = [...confirmations.holds, { reason, resources: [...held.values()] }];
    await this.#store(confirmations);
    logger.warn({ pod: objectRef(pod), changes: suspects.length, reason }, "changes rolled back");
    const failures = new Map<Member, unknown>();
    await Promise.all(
      suspects.map(async (member) => {
        try {
          await session.submit(restoring(confirmations, uid, member.change, { restoredOn: [] }));
          held.get(member)?.restoredOn.push(uid);
        } catch (error) {
          failures.set(member, notRestored(reason, error));
        }
      }),
    );
    await this.#store(confirmations);
    return { type: "rolledBack", reason, failures };
  }

  /** Saves confirmations. After a conflict, triggers the held resources, because their holds may have ended. */
  async #store(confirmations: StoredConfirmations): Promise<void> {
    try {
      await confirmations.save();
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error))
        for (const { resources } of confirmations.holds)
          for (const { origin } of resources) this.#options.trigger(origin);
      throw error;
    }
  }

  /** Saves a confirmed set. If it does not fit into a Secret, the CNF is no longer guarded. */
  async #save(confirmations: StoredConfirmations): Promise<void> {
    const { store, reporter } = this.#options;
    try {
      await this.#store(confirmations);
    } catch (error) {
      if (!(error instanceof SetTooLargeError)) throw error;
      reporter.report(
        confirmations.deployment,
        "Unconfirmed",
        `The objects of the CNF are too large to store: ${error.message}. Changes are applied, but cannot be rolled back`,
      );
      await store.drop(confirmations.deployment);
    }
  }
}

/** Maximum number of resources in the note of an Event. */
const maxNames = 5;

const nameOf = ({ kind, key }: Origin): string => `${kind} ${key}`;

const seconds = (ms: number): string => `${ms / 1_000} s`;

const noAnswerText = (waitMs: number): string =>
  `The CNF has not responded since the change, for ${seconds(waitMs)}. The operator cannot restore the previous objects; restart the pod ` +
  "to start with an empty CNF.";

const rolledBackText = (failure: string, waitMs: number): string =>
  `Rolled back: ${failure}, ${seconds(waitMs)} after the change. ${restoredText} To try again, change the resource or its annotation ` +
  retryAnnotation;
const restoredText = "The CNF has the last confirmed objects.";

/** Returns the error for a former object that could not be put back. A CNF that does not answer is the more urgent problem. */
const notRestored = (reason: string, error: unknown): unknown =>
  isConnectionFailure(error)
    ? error
    : new RolledBackError(`${reason.replace(`${restoredText} `, "")}. The CNF rejects the previous object`, {
        cause: error,
      });

/** Reports whether a change may be the reason why probes fail. */
const isSuspect = ({ result, isSent }: Member): boolean =>
  result !== undefined && ("effect" in result || (isSent && !isRefusal(result.error)));

/**
 * Returns the change that puts the confirmed object of a held resource back. A pod without a set gets the object of a pod on which it was
 * put back, because on other pods the change itself may be confirmed.
 */
function restoring(
  { sets }: StoredConfirmations,
  uid: string,
  change: Change,
  { restoredOn }: Pick<HeldResource, "restoredOn">,
): Change {
  const key = changeKeyOf(change);
  const model = [uid, ...restoredOn.toReversed()].find((each) => sets.has(each));
  const known =
    model === undefined
      ? [...sets.values()].flatMap((other) => other.get(key) ?? []).at(-1)
      : sets.get(model)?.get(key);
  return change.revision?.restore(known?.object, known?.order, restoredOn.includes(uid)) ?? change;
}

/** Sends an object that was in force before. It belongs to the confirmed set unless the CNF had lost it. */
async function adopt(set: ConfirmedSet, { session }: PodAccess, change: Change): Promise<Effect> {
  const effect = await session.submit(change);
  confirm(set, change);
  return effect;
}
