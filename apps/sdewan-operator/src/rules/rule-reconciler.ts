import { hasFinalizer, ignoreNotFound, isConflict } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Request, Result } from "@kubewright/controller";
import { State } from "../api/status.ts";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import { AppliedPurposes } from "./applied-purposes.ts";
import type { Conclusion } from "./outcome.ts";
import { Removal } from "./removal.ts";
import { Rollout } from "./rollout.ts";
import { type Attempt, isBeingDeleted, originOf, purposeOf, type Rule, type RuleEnvironment } from "./rule.ts";
import { RuleChanges } from "./rule-changes.ts";
import { RuleStatusWriter } from "./rule-status.ts";
import { Setbacks } from "./setbacks.ts";

export interface RuleReconcilerOptions extends Omit<RuleEnvironment, "scope"> {
  /** Default: any CNF may be configured. */
  readonly scope?: RuleEnvironment["scope"];
  readonly clock?: Clock;
}

/** What was done is out of date, so there is nothing to say about it: look again. */
const soonMs = 20;

/**
 * The one reconciler of all rule kinds: makes the object on the CNF what the custom resource says, in every pod, and says in
 * the resource's status how far it got.
 */
export class RuleReconciler {
  readonly #environment: RuleEnvironment;
  readonly #status: RuleStatusWriter;
  readonly #changes: RuleChanges;
  readonly #applied: AppliedPurposes;
  readonly #removal: Removal;
  readonly #rollout: Rollout;
  /** Of the objects seen so far: once one is gone, nobody else knows. */
  readonly #purposes = new Map<Request, string>();

  constructor({ clock = systemClock, scope = everyNamespace, ...options }: RuleReconcilerOptions) {
    const { kind } = options;
    this.#environment = { ...options, scope };
    this.#status = new RuleStatusWriter(kind, clock);
    this.#changes = new RuleChanges(kind, this.#status);
    this.#applied = new AppliedPurposes(kind);
    const setbacks = new Setbacks(this.#environment);
    const parts = { environment: this.#environment, changes: this.#changes, applied: this.#applied, setbacks };
    this.#removal = new Removal(parts);
    this.#rollout = new Rollout({ ...parts, removal: this.#removal });
  }

  /** For a controller. */
  readonly reconcile = async (
    request: Request,
    { client, log, signal }: Omit<Attempt, "rule">,
  ): Promise<Result | undefined> => {
    const { kind } = this.#environment;
    const rule = await client.get(kind.kind, request).catch(ignoreNotFound);
    if (!rule) return this.#gone(request);
    this.#purposes.set(request, purposeOf(rule) ?? "");
    if (isBeingDeleted(rule) && !hasFinalizer(rule, kind.finalizer)) return this.#leave(rule);
    try {
      return await this.#bringAbout({ rule, client, log, signal });
    } catch (error) {
      // The cache had not seen our own last write yet, or somebody else was quicker: look again.
      if (isConflict(error)) return { requeue: true };
      throw error;
    }
  };

  async #bringAbout(attempt: Attempt): Promise<Result | undefined> {
    const { rule } = attempt;
    const outcome = isBeingDeleted(rule) ? await this.#removal.remove(attempt) : await this.#rollout.apply(attempt);
    if (outcome === "let go") return this.#leave(rule);
    if (outcome === "out of date") {
      this.#changes.uncover(rule);
      return { requeueAfterMs: soonMs };
    }
    await this.#conclude(attempt, outcome);
    return outcome.retryAfterMs === undefined ? undefined : { requeueAfterMs: outcome.retryAfterMs };
  }

  async #conclude({ rule, client, log }: Attempt, { verdict, retryAfterMs }: Conclusion): Promise<void> {
    const { kind, waitingRoom } = this.#environment;
    if (verdict.state === State.inSync) this.#changes.cover(rule);
    const written = await this.#status.write(client, rule, verdict);
    if (written) log.info({ ...verdict, requeueAfterMs: retryAfterMs }, "status changed");
    if (verdict.state === State.inSync || verdict.state === State.idle) waitingRoom.leave(originOf(kind, rule));
    if (verdict.state === State.inSync && verdict.changed) waitingRoom.changed(purposeOf(rule) ?? "");
  }

  #leave(rule: Rule): undefined {
    const { kind, waitingRoom } = this.#environment;
    this.#applied.forget(rule);
    this.#status.forget(rule);
    this.#changes.cover(rule);
    waitingRoom.leave(originOf(kind, rule));
  }

  /** Whoever waited for its name, or was refused because something still used it, may try again. */
  #gone(request: Request): undefined {
    const { kind, waitingRoom } = this.#environment;
    waitingRoom.leave({ kind: kind.kind.kind, key: request });
    const purpose = this.#purposes.get(request);
    this.#purposes.delete(request);
    if (purpose !== undefined) waitingRoom.changed(purpose);
  }
}
