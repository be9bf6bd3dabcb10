import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { type Logger, objectRef } from "@kubewright/log";
import { purposeLabel } from "../api/group.ts";
import type { Origin } from "./batch.ts";
import { messageOf } from "./cnf-error.ts";
import { isCurrent } from "./pod-state.ts";
import type { CnfSession } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";
import { Turns } from "./turns.ts";

export interface PatrolOptions {
  readonly pool: SessionPool;
  readonly reader: Reader;
  readonly intervalMs: number;
  /** Has a resource reconciled whose object a CNF lost, or has otherwise. */
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

/**
 * Goes round all CNF pods at an interval: ends the sessions with pods that are gone, and notices what a CNF lost, or
 * what somebody changed on it, without its pod showing any sign of it. A manager's runnable; it runs where the controllers do.
 */
export class Patrol {
  readonly group = "leaderElection";
  readonly #options: PatrolOptions;
  readonly #turns = new Turns(concurrency);
  /** Pods that are being looked at: what takes longer than a round is not begun again. */
  readonly #looks = new Map<string, Promise<void>>();

  constructor(options: PatrolOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, logger } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(intervalMs, signal);
      if (signal.aborted) return;
      await this.round().catch((err: unknown) => logger.warn({ err }, "patrol of the CNFs failed"));
    }
  }

  /** Resolves when all pods have been looked at, or after an interval: one that takes its time does not hold back the others. */
  async round(): Promise<void> {
    const { pool, reader, clock, intervalMs } = this.#options;
    const pods = await reader.list(Pod);
    const current = new Map(pods.filter(isCurrent).map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, session] of pool.sessions) {
      const pod = current.get(uid);
      if (!pod) pool.drop(uid);
      else if (!this.#looks.has(uid)) this.#looks.set(uid, this.#lookInTurn(pod, uid, session));
    }
    const end = new AbortController();
    const all = Promise.all(this.#looks.values());
    await Promise.race([all, clock.sleep(intervalMs, end.signal)]);
    end.abort();
  }

  async #lookInTurn(pod: DeepReadonly<Pod>, uid: string, session: CnfSession): Promise<void> {
    const { namespace, labels } = pod.metadata;
    const look = (): Promise<void> => this.#look(uid, session).catch((error: unknown) => this.#tell(pod, error));
    try {
      await this.#turns.take(`${namespace} ${labels?.[purposeLabel]}`, () => session.isSlow, look);
    } finally {
      this.#looks.delete(uid);
    }
  }

  async #look(uid: string, session: CnfSession): Promise<void> {
    const { call, onDrift, logger } = this.#options;
    const missing = await session.missing();
    if (missing.length > 0) logger.info({ uid, objects: missing.length }, "a CNF lost or changed what it held");
    if (missing.length > 0) onDrift?.(uid, missing.length);
    for (const origin of missing) call(origin);
  }

  async #tell(pod: DeepReadonly<Pod>, error: unknown): Promise<void> {
    const { hideOf = async () => () => "***", logger } = this.#options;
    const hide = await hideOf(pod).catch(() => () => "***"); // what it may not repeat is not known
    logger.debug({ pod: objectRef(pod), reason: hide(messageOf(error)) }, "a CNF does not show what it holds");
  }
}
