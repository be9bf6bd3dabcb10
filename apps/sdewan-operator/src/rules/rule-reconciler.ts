import { type DeepReadonly, hasFinalizer, ignoreNotFound, isConflict } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ObjectEvent, Request, Result } from "@kubewright/controller";
import { isPaused, pausedMessage } from "../api/pause.ts";
import { type RuleStatus, State } from "../api/status.ts";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import { findCnf } from "../cnf/discovery.ts";
import { CnfMasks } from "../masking/cnf-masks.ts";
import { Reason } from "../reporting/conditions.ts";
import { type EventReporter, silentReporter } from "../reporting/event-reporter.ts";
import { reportNotReady } from "../reporting/not-ready-events.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { AppliedPurposes } from "./applied-purposes.ts";
import { type DriftMetrics, type DriftPolicy, noDriftMetrics } from "./drift-policy.ts";
import { FailureHandler } from "./failure-handler.ts";
import type { Conclusion } from "./outcome.ts";
import { PodFailures } from "./pod-failures.ts";
import { Removal } from "./removal.ts";
import { Rollout } from "./rollout.ts";
import { isBeingDeleted, originOf, purposeOf, type Rule } from "./rule.ts";
import { RuleChanges } from "./rule-changes.ts";
import { type Attempt, type RuleEnvironment, searchScopeOf } from "./rule-environment.ts";
import { healthOf, isInForce, isOnlyEffect, type RuleResult, RuleStatusWriter } from "./rule-status.ts";
import { StagedRollout } from "./staged-rollout.ts";

export interface RuleReconcilerOptions
  extends Omit<RuleEnvironment, "scope" | "secrets" | "masks" | "drift" | "reporter" | "failures"> {
  /** CNFs that a rule may configure. Default: any CNF. */
  readonly scope?: RuleEnvironment["scope"];
  /** Source of Secrets. Default: the reader of the rules. */
  readonly secrets?: RuleSecrets;
  /** Masks for messages from CNFs. Default: masks created from `secrets`. */
  readonly masks?: CnfMasks;
  /** Handling of changes by others on a CNF. Default `repair`. */
  readonly drift?: DriftPolicy;
  readonly driftMetrics?: DriftMetrics;
  /** Creates Events about rules. Default: no Events. */
  readonly reporter?: EventReporter;
  /** Records the pods on which rules fail. Default: not recorded. */
  readonly failures?: PodFailures;
  readonly clock?: Clock;
}

/** Delay until the next attempt after an attempt that used outdated data. */
const soonMs = 20;

/**
 * The reconciler for all rule kinds. It makes the object on each of the CNF's pods match the custom resource, and
 * reports the result in the resource's status.
 */
export class RuleReconciler {
  readonly #environment: RuleEnvironment;
  readonly #status: RuleStatusWriter;
  readonly #changes: RuleChanges;
  readonly #applied: AppliedPurposes;
  readonly #removal: Removal;
  readonly #rollout: Rollout;
  /** Purposes of the known objects, needed after the objects are deleted. */
  readonly #purposes = new Map<Request, string>();
  /** End of the work in progress for each rule. */
  readonly #running = new Map<Request, Promise<void>>();
  /** Rules whose effect will be determined again. */
  readonly #refreshing = new Set<Request>();

  readonly #driftMetrics: DriftMetrics;

  constructor({
    clock = systemClock,
    scope = everyNamespace,
    secrets = new RuleSecrets(),
    drift = "repair",
    driftMetrics = noDriftMetrics,
    reporter = silentReporter,
    failures = new PodFailures(clock),
    masks,
    ...options
  }: RuleReconcilerOptions) {
    const { kind, kinds } = options;
    this.#driftMetrics = driftMetrics;
    const hiding = masks ?? new CnfMasks({ kinds, secrets, clock });
    this.#environment = { ...options, scope, secrets, masks: hiding, drift, reporter, failures };
    this.#status = new RuleStatusWriter(kind, clock);
    this.#changes = new RuleChanges(kind, this.#status);
    const gate = options.stageGate;
    const staged = gate && new StagedRollout({ environment: this.#environment, status: this.#status, gate, clock });
    this.#applied = new AppliedPurposes(kind);
    const failureHandler = new FailureHandler(this.#environment);
    const parts = {
      environment: this.#environment,
      changes: this.#changes,
      applied: this.#applied,
      failureHandler,
      staged,
    };
    this.#removal = new Removal(parts);
    this.#rollout = new Rollout({ ...parts, removal: this.#removal, status: this.#status });
  }

  /** Reconciles one rule. Pass this function to a controller. */
  readonly reconcile = (request: Request, context: Omit<Attempt, "rule" | "secrets">): Promise<Result | undefined> =>
    this.#alone(request, () => this.#reconcileNow(request, context));

  /**
   * Determines a rule's effect again, and writes it to the rule's status, without a request to the CNF. Does nothing if the rule is not in
   * sync, because its next reconcile will determine the effect.
   */
  async refreshEffect(request: Request, context: Pick<Attempt, "client" | "log">): Promise<void> {
    if (this.#refreshing.has(request)) return;
    this.#refreshing.add(request);
    await this.#alone(request, () => {
      this.#refreshing.delete(request);
      return this.#refreshNow(request, context);
    });
  }

  async #refreshNow(request: Request, { client, log }: Pick<Attempt, "client" | "log">): Promise<void> {
    const { kind, effects } = this.#environment;
    const rule = await client.get(kind.kind, request).catch(ignoreNotFound);
    if (!rule || !effects || isBeingDeleted(rule) || isPaused(rule)) return;
    const current = this.#status.current(rule);
    if (current?.stages && this.#environment.stageGate) {
      this.#environment.waitingRules.trigger(originOf(kind, rule)); // the effect also decides whether the next stage begins
      return;
    }
    if (!isInForce(rule, current)) return;
    const cnf = await findCnf(client, purposeOf(rule), searchScopeOf(this.#environment, rule)).catch(() => undefined);
    if (!cnf) return; // the next reconcile reports the reason
    const effective = await effects.of(client, { kind, object: rule }, cnf);
    const result: RuleResult = { state: State.inSync, changed: false, effective };
    if (await this.#status.write(client, rule, result, this.#applied.heldBy(rule)))
      log.info({ ...result }, "effect changed");
  }

  /** Runs work for a rule after all earlier work for it has ended. */
  async #alone<T>(request: Request, work: () => Promise<T>): Promise<T> {
    const before = this.#running.get(request);
    const result = before ? before.then(work) : work();
    const end = result.then(
      () => {},
      () => {},
    );
    this.#running.set(request, end);
    try {
      return await result;
    } finally {
      if (this.#running.get(request) === end) this.#running.delete(request);
    }
  }

  async #reconcileNow(
    request: Request,
    { client, log, signal }: Omit<Attempt, "rule" | "secrets">,
  ): Promise<Result | undefined> {
    const { kind, secrets } = this.#environment;
    const rule = await client.get(kind.kind, request).catch(ignoreNotFound);
    if (!rule) return this.#onDeleted(request);
    this.#purposes.set(request, purposeOf(rule) ?? "");
    if (isBeingDeleted(rule) && !hasFinalizer(rule, kind.finalizer)) return this.#forget(rule);
    try {
      const { rule: filled, ...known } = await secrets.fill(client, kind, rule);
      return await this.#reconcile({ rule: filled, secrets: known, client, log, signal });
    } catch (error) {
      // The cache has not yet received the operator's last write, or another client wrote first, so reconcile again.
      if (isConflict(error)) return { requeue: true };
      throw error;
    }
  }

  /** Predicate for updates in which someone else set a rule's status to a value that this process did not write. */
  readonly statusIsContradicted = (event: ObjectEvent<RuleObject>): boolean => this.#status.contradicts(event);

  async #reconcile(attempt: Attempt): Promise<Result | undefined> {
    const { rule } = attempt;
    if (isPaused(rule)) return this.#pause(attempt);
    const outcome = isBeingDeleted(rule) ? await this.#removal.remove(attempt) : await this.#rollout.apply(attempt);
    if (outcome === "released") return this.#forget(rule);
    if (outcome === "outdated") {
      this.#changes.requireRestart(rule);
      return { requeueAfterMs: soonMs };
    }
    await this.#writeConclusion(attempt, outcome);
    return outcome.retryAfterMs === undefined ? undefined : { requeueAfterMs: outcome.retryAfterMs };
  }

  async #pause(attempt: Attempt): Promise<undefined> {
    await this.#writeConclusion(attempt, {
      result: { state: State.idle, message: pausedMessage, reason: Reason.paused },
    });
  }

  async #writeConclusion(attempt: Attempt, conclusion: Conclusion): Promise<void> {
    const { kind, waitingRules, failures } = this.#environment;
    const { rule, client, log } = attempt;
    const { retryAfterMs } = conclusion;
    const result = await this.#withEffect(attempt, conclusion);
    if (result.state === State.inSync || result.state === State.idle) failures.forget(originOf(kind, rule));
    if (result.state === State.inSync) this.#changes.noteRestart(rule);
    const before = this.#status.current(rule);
    const written = await this.#status.write(client, rule, result, this.#applied.heldBy(rule), conclusion.staged);
    if (written) this.#reportChange(rule, before, result);
    const what = isOnlyEffect(before, result) ? "effect changed" : "status changed";
    if (written) log.info({ ...result, requeueAfterMs: retryAfterMs }, what);
    if (result.state === State.inSync || result.state === State.idle) waitingRules.remove(originOf(kind, rule));
    if (result.state === State.inSync && result.changed) waitingRules.triggerAll(purposeOf(rule) ?? "");
  }

  async #withEffect({ rule, client }: Attempt, { result, cnf }: Conclusion): Promise<RuleResult> {
    const { kind, effects } = this.#environment;
    if (result.state !== State.inSync || !cnf || !effects) return result;
    return { ...result, effective: await effects.of(client, { kind, object: rule }, cnf) };
  }

  #reportChange(rule: Rule, before: DeepReadonly<RuleStatus> | undefined, result: RuleResult): void {
    reportRuleStatus(this.#environment, rule, before, result);
    const { kind, drift } = this.#environment;
    const isDrift = result.state === State.inSync ? result.changed && result.drifted : result.reason === Reason.drifted;
    if (isDrift) this.#driftMetrics.found(kind.kind.kind, drift);
  }

  #forget(rule: Rule): undefined {
    const { kind, waitingRules, secrets, failures, effects, stageGate } = this.#environment;
    stageGate?.forget(originOf(kind, rule));
    failures.forget(originOf(kind, rule));
    effects?.forget(rule);
    secrets.forget(rule);
    this.#applied.forget(rule);
    this.#status.forget(rule);
    this.#changes.noteRestart(rule);
    waitingRules.remove(originOf(kind, rule));
  }

  /** Triggers resources that were waiting for the object's name, or that were rejected because the object was still in use. */
  #onDeleted(request: Request): undefined {
    const { kind, waitingRules, failures, stageGate } = this.#environment;
    stageGate?.forget({ kind: kind.kind.kind, key: request });
    failures.forget({ kind: kind.kind.kind, key: request });
    waitingRules.remove({ kind: kind.kind.kind, key: request });
    const purpose = this.#purposes.get(request);
    this.#purposes.delete(request);
    if (purpose !== undefined) waitingRules.triggerAll(purpose);
  }
}

/**
 * Creates Events for changes in the status of a rule.
 *
 * @param before the previous status
 */
function reportRuleStatus(
  { reporter }: Pick<RuleEnvironment, "reporter">,
  rule: Rule,
  before: DeepReadonly<RuleStatus> | undefined,
  result: RuleResult,
): void {
  if (result.state !== State.inSync) {
    reportNotReady(reporter, rule, before, healthOf(result));
    return;
  }
  const cnf = `CNF with the purpose ${purposeOf(rule)}`;
  if (result.changed && result.drifted)
    reporter.report(
      rule,
      "DriftRepaired",
      `The object on the ${cnf} was ${result.displaced ? "moved" : "changed or missing"}, and was restored`,
    );
  else if (result.changed || !isInForce(rule, before)) reporter.report(rule, "Applied", `The ${cnf} has the object`);
}
