import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { type Logger, objectRef } from "@kubewright/log";
import { purposeLabel } from "../../api/group.ts";
import { isUnreachable, messageOf } from "../cnf-error.ts";
import { isCurrent } from "../pod-state.ts";
import type { Origin } from "./change.ts";
import { FairLimiter } from "./fair-limiter.ts";
import type { CnfSession } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";

export interface PatrolOptions {
  readonly pool: SessionPool;
  readonly reader: Reader;
  readonly intervalMs: number;
  /** Requests a reconcile of a resource because a CNF lost or changed its object, or stopped responding. */
  readonly trigger: (origin: Origin) => void;
  /** Called with the number of objects that a CNF pod lost or changed. */
  readonly onDrift?: (uid: string, objects: number) => void;
  /**
   * Called after each check with the names of foreign objects located between the operator's own objects, keyed by
   * path.
   */
  readonly onOthers?: (pod: DeepReadonly<Pod>, names: ReadonlyMap<string, readonly string[]>) => Promise<void>;
  /** Returns a function that removes secrets from the messages of a pod's CNF. Default: the messages are not logged. */
  readonly hideOf?: (pod: DeepReadonly<Pod>) => Promise<(text: string) => string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of pods to check at the same time. */
const concurrency = 32;
/** Number of consecutive failed checks after which the resources for a CNF are reconciled. */
const maxFailedRounds = 2;
/**
 * Delay between the reconciles of any two resources whose CNF does not respond. The delay limits the rate of writes,
 * because each reconcile writes a status.
 */
const paceMs = 50;

/**
 * Checks all CNF pods at a fixed interval. Ends the sessions of deleted pods, and detects lost objects, changes made by
 * others, and CNFs that have stopped responding even though their pods seem healthy. Add it as a runnable to the
 * manager in the replica that runs the controllers.
 */
export class Patrol {
  readonly group = "leaderElection";
  readonly #options: PatrolOptions;
  readonly #limiter = new FairLimiter(concurrency);
  /** Pods being checked. A pod is not checked again until its previous check has ended. */
  readonly #checks = new Map<string, Promise<void>>();

  /** Number of consecutive failed checks, keyed by pod UID. */
  readonly #failed = new Map<string, number>();
  /** Resources that must still be reconciled because their CNF does not respond, keyed by the pod's UID. */
  readonly #stale = new Map<string, Origin[]>();
  #nextStale: Timer | undefined;

  constructor(options: PatrolOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, logger } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(intervalMs, signal);
      if (signal.aborted) break;
      await this.round().catch((err: unknown) => logger.warn({ err }, "the periodic check of all CNFs failed"));
    }
    this.#stale.clear();
    this.#nextStale?.cancel();
  }

  /** Resolves when all pods have been checked, or after an interval, so that a slow pod does not delay the others. */
  async round(): Promise<void> {
    const { pool, reader, clock, intervalMs } = this.#options;
    const pods = await reader.list(Pod);
    const current = new Map(pods.filter(isCurrent).map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, session] of pool.sessions) {
      const pod = current.get(uid);
      if (!pod) this.#drop(uid);
      else if (!this.#checks.has(uid)) this.#checks.set(uid, this.#checkInTurn(pod, uid, session));
    }
    const end = new AbortController();
    const all = Promise.all(this.#checks.values());
    await Promise.race([all, clock.sleep(intervalMs, end.signal)]);
    end.abort();
  }

  async #checkInTurn(pod: DeepReadonly<Pod>, uid: string, session: CnfSession): Promise<void> {
    const { namespace, labels } = pod.metadata;
    const check = (): Promise<void> =>
      this.#check(pod, uid, session).catch((error: unknown) => {
        this.#count(uid, session, error);
        return this.#logFailure(pod, error);
      });
    try {
      await this.#limiter.run(`${namespace} ${labels?.[purposeLabel]}`, () => session.isSlow, check);
    } finally {
      this.#checks.delete(uid);
    }
  }

  async #check(pod: DeepReadonly<Pod>, uid: string, session: CnfSession): Promise<void> {
    const { trigger, onDrift, onOthers, logger } = this.#options;
    const missing = await session.missing();
    this.#responded(uid);
    if (missing.length > 0) logger.info({ uid, objects: missing.length }, "a CNF lost or changed objects");
    if (missing.length > 0) onDrift?.(uid, missing.length);
    for (const origin of missing) trigger(origin);
    await onOthers?.(pod, session.othersBetween).catch((err: unknown) =>
      logger.debug({ err, pod: objectRef(pod) }, "cannot report foreign objects"),
    );
  }

  #drop(uid: string): void {
    this.#options.pool.drop(uid);
    this.#responded(uid);
  }

  #responded(uid: string): void {
    this.#failed.delete(uid);
    this.#stale.delete(uid);
  }

  /** Reconciles each resource of an unresponsive CNF once. After that, each resource retries on its own. */
  #count(uid: string, session: CnfSession, error: unknown): void {
    if (!isUnreachable(error)) {
      this.#responded(uid);
      return;
    }
    const failed = (this.#failed.get(uid) ?? 0) + 1;
    this.#failed.set(uid, failed);
    if (failed !== maxFailedRounds) return;
    this.#stale.set(uid, [...session.origins]);
    this.#nextStale ??= this.#options.clock.after(paceMs, () => this.#triggerStale(), { unref: true });
  }

  #triggerStale(): void {
    this.#nextStale = undefined;
    const [first] = this.#stale;
    if (!first) return;
    const [uid, origins] = first;
    const origin = origins.shift();
    this.#stale.delete(uid);
    if (origins.length > 0) this.#stale.set(uid, origins); // one pod after another
    if (origin) this.#options.trigger(origin);
    this.#nextStale = this.#options.clock.after(paceMs, () => this.#triggerStale(), { unref: true });
  }

  async #logFailure(pod: DeepReadonly<Pod>, error: unknown): Promise<void> {
    const { hideOf = async () => () => "***", logger } = this.#options;
    const hide = await hideOf(pod).catch(() => () => "***"); // the strings to remove are unknown
    logger.debug({ pod: objectRef(pod), reason: hide(messageOf(error)) }, "cannot read a CNF's objects");
  }
}
