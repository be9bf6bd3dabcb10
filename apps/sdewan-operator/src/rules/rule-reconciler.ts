import { type DeepReadonly, hasFinalizer, ignoreNotFound, isConflict } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ObjectEvent, Request, Result } from "@kubewright/controller";
import { type RuleStatus, State } from "../api/status.ts";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import { Reason } from "../reporting/conditions.ts";
import { type DriftMetrics, type DriftPolicy, noDriftMetrics } from "../reporting/drift-policy.ts";
import { type EventReporter, silentReporter } from "../reporting/event-reporter.ts";
import { reportNotReady } from "../reporting/not-ready-events.ts";
import { isPaused, pausedMessage } from "../reporting/pause.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { AppliedPurposes } from "./applied-purposes.ts";
import { CnfMasks } from "./cnf-masks.ts";
import type { Conclusion } from "./outcome.ts";
import { PodFailures } from "./pod-failures.ts";
import { Removal } from "./removal.ts";
import { Rollout } from "./rollout.ts";
import { type Attempt, isBeingDeleted, originOf, purposeOf, type Rule, type RuleEnvironment } from "./rule.ts";
import { RuleChanges } from "./rule-changes.ts";
import { healthOf, isInForce, RuleStatusWriter, type Verdict } from "./rule-status.ts";
import { Setbacks } from "./setbacks.ts";

export interface RuleReconcilerOptions
  extends Omit<RuleEnvironment, "scope" | "secrets" | "masks" | "drift" | "reporter" | "failures"> {
  /** CNFs that a rule may configure. Default: any. */
  readonly scope?: RuleEnvironment["scope"];
  /** Source of Secrets. Default: the reader of the rules. */
  readonly secrets?: RuleSecrets;
  /** Default: masks made from `secrets`. */
  readonly masks?: CnfMasks;
  /** Handling of changes by others on a CNF. Default `repair`. */
  readonly drift?: DriftPolicy;
  readonly driftMetrics?: DriftMetrics;
  /** Default: no Events. */
  readonly reporter?: EventReporter;
  /** Records the pods on which rules fail. Default: not recorded. */
  readonly failures?: PodFailures;
  readonly clock?: Clock;
}

/** Delay until the next attempt after one that used outdated data. */
const soonMs = 20;

/**
 * The reconciler of all rule kinds. Makes the object in every pod of the CNF match the custom resource, and reports the result in the
 * resource's status.
 */
export class RuleReconciler {
  readonly #environment: RuleEnvironment;
  readonly #status: RuleStatusWriter;
  readonly #changes: RuleChanges;
  readonly #applied: AppliedPurposes;
  readonly #removal: Removal;
  readonly #rollout: Rollout;
  /** Purposes of the known objects, needed after their deletion. */
  readonly #purposes = new Map<Request, string>();

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
    this.#applied = new AppliedPurposes(kind);
    const setbacks = new Setbacks(this.#environment);
    const parts = { environment: this.#environment, changes: this.#changes, applied: this.#applied, setbacks };
    this.#removal = new Removal(parts);
    this.#rollout = new Rollout({ ...parts, removal: this.#removal });
  }

  /** The function for a controller. */
  readonly reconcile = async (
    request: Request,
    { client, log, signal }: Omit<Attempt, "rule" | "secrets">,
  ): Promise<Result | undefined> => {
    const { kind, secrets } = this.#environment;
    const rule = await client.get(kind.kind, request).catch(ignoreNotFound);
    if (!rule) return this.#gone(request);
    this.#purposes.set(request, purposeOf(rule) ?? "");
    if (isBeingDeleted(rule) && !hasFinalizer(rule, kind.finalizer)) return this.#leave(rule);
    try {
      const { rule: filled, ...known } = await secrets.fill(client, kind, rule);
      return await this.#bringAbout({ rule: filled, secrets: known, client, log, signal });
    } catch (error) {
      // The cache had not yet received the operator's own last write, or another client wrote first, so reconcile again.
      if (isConflict(error)) return { requeue: true };
      throw error;
    }
  };

  /** Predicate for updates in which someone else set a rule's status to a value that this process did not write. */
  readonly statusIsContradicted = (event: ObjectEvent<RuleObject>): boolean => this.#status.contradicts(event);

  async #bringAbout(attempt: Attempt): Promise<Result | undefined> {
    const { rule } = attempt;
    if (isPaused(rule)) return this.#pause(attempt);
    const outcome = isBeingDeleted(rule) ? await this.#removal.remove(attempt) : await this.#rollout.apply(attempt);
    if (outcome === "let go") return this.#leave(rule);
    if (outcome === "out of date") {
      this.#changes.uncover(rule);
      return { requeueAfterMs: soonMs };
    }
    await this.#conclude(attempt, outcome);
    return outcome.retryAfterMs === undefined ? undefined : { requeueAfterMs: outcome.retryAfterMs };
  }

  async #pause(attempt: Attempt): Promise<undefined> {
    await this.#conclude(attempt, { verdict: { state: State.idle, message: pausedMessage, reason: Reason.paused } });
  }

  async #conclude({ rule, client, log }: Attempt, { verdict, retryAfterMs }: Conclusion): Promise<void> {
    const { kind, waitingRoom, failures } = this.#environment;
    if (verdict.state === State.inSync || verdict.state === State.idle) failures.forget(originOf(kind, rule));
    if (verdict.state === State.inSync) this.#changes.cover(rule);
    const before = this.#status.current(rule);
    const written = await this.#status.write(client, rule, verdict, this.#applied.heldBy(rule));
    if (written) this.#tell(rule, before, verdict);
    if (written) log.info({ ...verdict, requeueAfterMs: retryAfterMs }, "status changed");
    if (verdict.state === State.inSync || verdict.state === State.idle) waitingRoom.leave(originOf(kind, rule));
    if (verdict.state === State.inSync && verdict.changed) waitingRoom.changed(purposeOf(rule) ?? "");
  }

  #tell(rule: Rule, before: DeepReadonly<RuleStatus> | undefined, verdict: Verdict): void {
    reportRuleStatus(this.#environment, rule, before, verdict);
    const { kind, drift } = this.#environment;
    const isDrift =
      verdict.state === State.inSync ? verdict.changed && verdict.drifted : verdict.reason === Reason.drifted;
    if (isDrift) this.#driftMetrics.found(kind.kind.kind, drift);
  }

  #leave(rule: Rule): undefined {
    const { kind, waitingRoom, secrets, failures } = this.#environment;
    failures.forget(originOf(kind, rule));
    secrets.forget(rule);
    this.#applied.forget(rule);
    this.#status.forget(rule);
    this.#changes.cover(rule);
    waitingRoom.leave(originOf(kind, rule));
  }

  /** Triggers resources that waited for the object's name, or were refused because the object was still in use. */
  #gone(request: Request): undefined {
    const { kind, waitingRoom, failures } = this.#environment;
    failures.forget({ kind: kind.kind.kind, key: request });
    waitingRoom.leave({ kind: kind.kind.kind, key: request });
    const purpose = this.#purposes.get(request);
    this.#purposes.delete(request);
    if (purpose !== undefined) waitingRoom.changed(purpose);
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
  verdict: Verdict,
): void {
  if (verdict.state !== State.inSync) {
    reportNotReady(reporter, rule, before, healthOf(verdict));
    return;
  }
  const cnf = `the CNF with the purpose ${purposeOf(rule)}`;
  if (verdict.changed && verdict.drifted)
    reporter.report(rule, "DriftRepaired", `${cnf} had a changed or missing object`);
  else if (verdict.changed || !isInForce(rule, before)) reporter.report(rule, "Applied", `${cnf} has it`);
}
