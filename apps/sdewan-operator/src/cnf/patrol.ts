import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { type Logger, objectRef } from "@kubewright/log";
import { purposeLabel } from "../api/group.ts";
import type { Origin } from "./batch.ts";
import { isUnreachable, messageOf } from "./cnf-error.ts";
import { isCurrent } from "./pod-state.ts";
import type { CnfSession } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";
import { Turns } from "./turns.ts";

export interface PatrolOptions {
  readonly pool: SessionPool;
  readonly reader: Reader;
  readonly intervalMs: number;
  /** Has a resource reconciled: a CNF lost or changed its object, or does not answer any more. */
  readonly call: (origin: Origin) => void;
  /** Told how many objects a CNF pod lost, or has otherwise. */
  readonly onDrift?: (uid: string, objects: number) => void;
  /** Takes the secrets out of what the CNF in a pod says. Default: nothing of it is told. */
  readonly hideOf?: (pod: DeepReadonly<Pod>) => Promise<(text: string) => string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** So many pods are looked at at a time. */
const concurrency = 32;
/** Failed rounds in a row after which the resources of a CNF are reconciled. */
const failedRounds = 2;
/** Delay between two of the resources whose CNFs do not answer: each of them writes a status. */
const paceMs = 50;

/**
 * Goes round all CNF pods at an interval: ends the sessions with pods that are gone, and notices what a CNF lost, what
 * somebody changed on it, and that it does not answer any more, without its pod showing any sign of it. A manager's runnable; it runs where the controllers do.
 */
export class Patrol {
  readonly group = "leaderElection";
  readonly #options: PatrolOptions;
  readonly #turns = new Turns(concurrency);
  /** Pods that are being looked at: what takes longer than a round is not begun again. */
  readonly #looks = new Map<string, Promise<void>>();

  /** Number of failed rounds in a row, by the uid of the pod. */
  readonly #failed = new Map<string, number>();
  /** Resources that are still to be reconciled because their CNF does not answer, by the uid of the pod. */
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
      await this.round().catch((err: unknown) => logger.warn({ err }, "patrol of the CNFs failed"));
    }
    this.#stale.clear();
    this.#nextStale?.cancel();
  }

  /** Resolves when all pods have been looked at, or after an interval: one that takes its time does not hold back the others. */
  async round(): Promise<void> {
    const { pool, reader, clock, intervalMs } = this.#options;
    const pods = await reader.list(Pod);
    const current = new Map(pods.filter(isCurrent).map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, session] of pool.sessions) {
      const pod = current.get(uid);
      if (!pod) this.#drop(uid);
      else if (!this.#looks.has(uid)) this.#looks.set(uid, this.#lookInTurn(pod, uid, session));
    }
    const end = new AbortController();
    const all = Promise.all(this.#looks.values());
    await Promise.race([all, clock.sleep(intervalMs, end.signal)]);
    end.abort();
  }

  async #lookInTurn(pod: DeepReadonly<Pod>, uid: string, session: CnfSession): Promise<void> {
    const { namespace, labels } = pod.metadata;
    const look = (): Promise<void> =>
      this.#look(uid, session).catch((error: unknown) => {
        this.#count(uid, session, error);
        return this.#tell(pod, error);
      });
    try {
      await this.#turns.take(`${namespace} ${labels?.[purposeLabel]}`, () => session.isSlow, look);
    } finally {
      this.#looks.delete(uid);
    }
  }

  async #look(uid: string, session: CnfSession): Promise<void> {
    const { call, onDrift, logger } = this.#options;
    const missing = await session.missing();
    this.#answered(uid);
    if (missing.length > 0) logger.info({ uid, objects: missing.length }, "a CNF lost or changed what it held");
    if (missing.length > 0) onDrift?.(uid, missing.length);
    for (const origin of missing) call(origin);
  }

  #drop(uid: string): void {
    this.#options.pool.drop(uid);
    this.#answered(uid);
  }

  #answered(uid: string): void {
    this.#failed.delete(uid);
    this.#stale.delete(uid);
  }

  /** A CNF that does not answer has its resources reconciled once: from then on each of them tries again by itself. */
  #count(uid: string, session: CnfSession, error: unknown): void {
    if (!isUnreachable(error)) {
      this.#answered(uid);
      return;
    }
    const failed = (this.#failed.get(uid) ?? 0) + 1;
    this.#failed.set(uid, failed);
    if (failed !== failedRounds) return;
    this.#stale.set(uid, [...session.origins]);
    this.#nextStale ??= this.#options.clock.after(paceMs, () => this.#callStale(), { unref: true });
  }

  #callStale(): void {
    this.#nextStale = undefined;
    const [first] = this.#stale;
    if (!first) return;
    const [uid, origins] = first;
    const origin = origins.shift();
    this.#stale.delete(uid);
    if (origins.length > 0) this.#stale.set(uid, origins); // the pods take turns
    if (origin) this.#options.call(origin);
    this.#nextStale = this.#options.clock.after(paceMs, () => this.#callStale(), { unref: true });
  }

  async #tell(pod: DeepReadonly<Pod>, error: unknown): Promise<void> {
    const { hideOf = async () => () => "***", logger } = this.#options;
    const hide = await hideOf(pod).catch(() => () => "***"); // what it may not repeat is not known
    logger.debug({ pod: objectRef(pod), reason: hide(messageOf(error)) }, "a CNF does not show what it holds");
  }
}
