import { byKey, type DeepReadonly, isNoMatch, keyOf } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { purposeLabel } from "../api/group.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";
import { isConnectionFailure, messageOf } from "../cnf/cnf-error.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { isCurrent } from "../cnf/pod-state.ts";
import { FairLimiter } from "../cnf/session/fair-limiter.ts";
import type { SessionPool } from "../cnf/session/session-pool.ts";
import type { Effects } from "../effect/effects.ts";
import type { CnfMasks } from "../masking/cnf-masks.ts";
import { masked } from "../masking/mask.ts";
import { maskedStatus } from "../masking/masked-status.ts";
import type { CnfEvents } from "../reporting/cnf-events.ts";
import { type CnfReport, informationOf, moduleText } from "./cnf-report.ts";
import { fitted, fittedInPlace } from "./fit.ts";
import { IpsecRestarts } from "./ipsec-restarts.ts";
import { writeStatusObject } from "./status-object.ts";
import { requestStatus } from "./status-request.ts";

export interface StatusPollOptions {
  readonly pool: SessionPool;
  readonly client: ReadWriter;
  /** CNFs that may be queried. */
  readonly scope: CnfScope;
  /** Namespace of the CNFStatus. */
  readonly namespace: string;
  readonly intervalMs: number;
  /** Returns the secrets that must not appear in a pod's status. */
  readonly secretsOf: (pod: DeepReadonly<Pod>) => Promise<readonly (string | undefined)[]>;
  /** Hides secrets in error messages of CNFs. */
  readonly masks: CnfMasks;
  /** Creates Events about CNFs. Default: no Events. */
  readonly cnfEvents?: CnfEvents;
  /** Determines the effects of rules from the status of CNFs. Default: none. */
  readonly effects?: Pick<Effects, "reported" | "keep">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of pods that are queried at the same time, and time limit for each pod. */
const concurrency = 32;
const timeoutMs = 10_000;
/** Time after which a check queries no further pods. */
const maxRoundMs = 30_000;
/** Size above which reports are shortened during the check, because there may be thousands of them. */
const maxHeldBytes = 16 * 1024 * 1024;

const restart = { name: "ipsec", action: "restart" } as const;

/**
 * Queries the status of all CNF pods, immediately and then at a fixed interval, and writes it to a single CNFStatus
 * object. Restarts IPsec if tunnels do not come up. Add it to a manager as a runnable that only the leader runs.
 */
export class StatusPoll {
  readonly group = "leaderElection";
  readonly #options: StatusPollOptions;
  readonly #restarts = new IpsecRestarts();
  /** Pods that did not respond to the last query. */
  readonly #unresponsive = new Set<string>();
  readonly #restarting = new Map<string, Promise<void>>();
  #lastWriteFailure: string | undefined;

  constructor(options: StatusPollOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options;
    while (!signal.aborted) {
      const beganMs = clock.monotonic();
      await this.round(signal).then(
        () => this.#logWriteFailure(undefined),
        // A kind that is not served is logged together with all others that are missing.
        (error: unknown) =>
          this.#logWriteFailure(signal.aborted || isNoMatch(error) ? undefined : masked(messageOf(error), [])),
      );
      await clock.sleep(Math.max(0, beganMs + intervalMs - clock.monotonic()), signal);
    }
    await Promise.all(this.#restarting.values());
  }

  /** Runs one check: queries all pods, then writes once. */
  async round(signal: AbortSignal): Promise<void> {
    const { client, clock, namespace } = this.#options;
    const pods = (await client.list(Pod)).filter(
      (pod) => purposeLabel in (pod.metadata.labels ?? {}) && isCurrent(pod),
    );
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    this.#restarts.keep(uids);
    for (const uid of this.#unresponsive) if (!uids.has(uid)) this.#unresponsive.delete(uid);
    this.#options.cnfEvents?.keep(uids);
    this.#options.effects?.keep(uids);
    const reports = await this.#reportsOf(pods.toSorted(byKey), signal);
    if (signal.aborted) return;
    await writeStatusObject(client, namespace, fitted(reports).map(informationOf), clock.now());
  }

  async #reportsOf(pods: readonly DeepReadonly<Pod>[], signal: AbortSignal): Promise<readonly CnfReport[]> {
    const { clock } = this.#options;
    const limiter = new FairLimiter(concurrency, { reserved: 0 });
    const endMs = clock.monotonic() + maxRoundMs;
    let reports: readonly (CnfReport | undefined)[] = pods.map(() => undefined);
    let heldBytes = 0;
    const query = async (pod: DeepReadonly<Pod>, index: number): Promise<void> => {
      if (signal.aborted) return;
      const report = await this.#reportOf(pod, clock.monotonic() < endMs);
      reports = reports.with(index, report);
      heldBytes += report.modules?.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
      if (heldBytes < maxHeldBytes) return;
      reports = fittedInPlace(reports);
      heldBytes = 0;
    };
    // Pods that did not respond come last, because they may be many and use all of their time.
    const sorted = [...pods.entries()].sort(([, a], [, b]) => this.#wasUnresponsive(a) - this.#wasUnresponsive(b));
    await Promise.all(sorted.map(([index, pod]) => limiter.run(cnfOf(pod), notSlow, () => query(pod, index))));
    return reports.filter((report) => report !== undefined);
  }

  #wasUnresponsive({ metadata: { uid = "" } }: DeepReadonly<Pod>): number {
    return Number(this.#unresponsive.has(uid));
  }

  /** Queries a pod and returns its report. @param isInTime true if there is time left to query the pod */
  async #reportOf(pod: DeepReadonly<Pod>, isInTime: boolean): Promise<CnfReport> {
    const { metadata, spec, status } = pod;
    const { name, namespace = "", labels } = metadata;
    const identity = {
      name,
      namespace,
      node: spec?.nodeName ?? "",
      purpose: labels?.[purposeLabel] ?? "",
      ip: status?.podIP ?? "",
    };
    const { uid = "" } = metadata;
    const { collections = [] } = this.#options.pool.sessions.get(uid)?.inspect() ?? {};
    const outOfOrder = collections.flatMap(({ path, displaced }) => (displaced > 0 ? [path] : []));
    if (outOfOrder.length > 0) Object.assign(identity, { outOfOrder });
    if (!isInTime) return { pod: identity, modules: undefined };
    const modules = await this.#modulesOf(pod).catch(async (error: unknown) => {
      const reason = await this.#reasonOf(pod, error);
      if (this.#isUnreachable(pod, error)) await this.#recordEvent((cnfEvents) => cnfEvents.unreachable(pod, reason));
      this.#options.logger.debug({ pod: keyOf(pod), reason }, "cannot read a CNF's status");
      return undefined;
    });
    if (modules) this.#unresponsive.delete(uid);
    else this.#unresponsive.add(uid);
    return { pod: identity, modules };
  }

  async #modulesOf(pod: DeepReadonly<Pod>) {
    const { pool, scope, clock, secretsOf } = this.#options;
    const { namespace } = pod.metadata;
    if (!scope.allows(namespace, namespace)) throw new Error(scope.reason);
    const modules = await requestStatus(await pool.apiOf(pod), clock, timeoutMs);
    await this.#recordEvent((cnfEvents) => cnfEvents.reported(pod, modules));
    await this.#noteEffects(pod, modules);
    const secrets = await secretsOf(pod);
    if (this.#restarts.isDue(pod.metadata.uid ?? "", modules.some(reportsTunnelFailure))) this.#restart(pod);
    return modules.map(({ name, status }) => moduleText({ name, status: maskedStatus(status, secrets) }));
  }

  async #noteEffects(pod: DeepReadonly<Pod>, modules: readonly CnfModule[]): Promise<void> {
    const { client, effects, logger } = this.#options;
    await effects
      ?.reported(client, pod, modules)
      .catch((err: unknown) => logger.debug({ err }, "cannot determine the effects of rules"));
  }

  /** Reports whether a failure means that a CNF that is in scope and has an address does not respond. */
  #isUnreachable({ metadata: { namespace }, status }: DeepReadonly<Pod>, error: unknown): boolean {
    return this.#options.scope.allows(namespace, namespace) && Boolean(status?.podIP) && isConnectionFailure(error);
  }

  async #recordEvent(how: (cnfEvents: CnfEvents) => Promise<void>): Promise<void> {
    const { cnfEvents, logger } = this.#options;
    if (cnfEvents)
      await how(cnfEvents).catch((err: unknown) => logger.debug({ err }, "cannot create an Event about a CNF"));
  }

  /**
   * Restarts IPsec in a pod. Runs in the background, because this may take a minute. While it runs, no other restart begins for
   * the same pod.
   */
  #restart(pod: DeepReadonly<Pod>): void {
    const { pool, logger } = this.#options;
    const { uid = "" } = pod.metadata;
    if (this.#restarting.has(uid)) return;
    const log = logger.child({ pod: keyOf(pod) });
    log.info("tunnels do not come up: restarting ipsec");
    const restarting = pool
      .sessionOf(pod)
      .then((session) => session.restart(restart))
      .catch(async (error: unknown) => {
        const reason = await this.#reasonOf(pod, error);
        log.warn({ reason }, "ipsec was not restarted");
      })
      .finally(() => this.#restarting.delete(uid));
    this.#restarting.set(uid, restarting);
  }

  /** Returns the reason for a CNF's failure, without secrets. */
  async #reasonOf(pod: DeepReadonly<Pod>, error: unknown): Promise<string> {
    const { client, masks } = this.#options;
    const hide = await masks.of(client, pod).catch(() => () => "***"); // the strings to remove are unknown
    return masked(hide(messageOf(error)), []);
  }

  /** Logs an error once, and again when it changes. */
  #logWriteFailure(reason: string | undefined): void {
    if (reason !== undefined && reason !== this.#lastWriteFailure) {
      const { logger, namespace } = this.#options;
      logger.warn(
        { reason, namespace },
        "cannot write the CNFStatus: check that the namespace in --status-namespace exists",
      );
    }
    this.#lastWriteFailure = reason;
  }
}

const reportsTunnelFailure = ({ name, status }: CnfModule): boolean =>
  name === "ipsec" &&
  typeof status === "object" &&
  status !== null &&
  "InitConnection" in status &&
  status.InitConnection === "fail";

const cnfOf = ({ metadata }: DeepReadonly<Pod>): string => `${metadata.namespace} ${metadata.labels?.[purposeLabel]}`;
const notSlow = (): boolean => false;
