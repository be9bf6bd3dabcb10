import {
  type DeepReadonly,
  hasFinalizer,
  ignoreNotFound,
  isConflict,
  isStatusError,
  keyOf,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ReconcileContext, Request, Result } from "@kubewright/controller";
import { purposeLabel, sentHashAnnotation } from "../api/group.ts";
import { State } from "../api/status.ts";
import type { Change, Origin } from "../cnf/batch.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { AmbiguousCnfError, type Cnf, findCnf } from "../cnf/discovery.ts";
import { lifeOf } from "../cnf/pod-state.ts";
import type { SessionPool } from "../cnf/session-pool.ts";
import { type CnfKind, InvalidSpecError, type RuleObject } from "../kinds/cnf-kind.ts";
import { cnfName } from "../kinds/cnf-name.ts";
import { garbledHash, sameOnCnf } from "../kinds/compare.ts";
import type { UciObject } from "../kinds/uci-object.ts";
import { changeEveryPod, FanOutError, messageOf } from "./fan-out.ts";
import { masked } from "./mask.ts";
import { formerPurposeOf, patchAnnotation, patchFinalizerIn, patchFinalizerOut } from "./metadata-patch.ts";
import { deleteRetryDelayMs, retryDelayMs } from "./retry.ts";
import { type Claim, isTakenOver, olderRival } from "./rivals.ts";
import { isInForce, RuleStatusWriter, type Verdict } from "./rule-status.ts";
import type { WaitingRoom } from "./waiting-room.ts";

export interface RuleReconcilerOptions {
  readonly kind: CnfKind;
  /** Every rule kind: those that share names with `kind` are among them. */
  readonly kinds: readonly CnfKind[];
  readonly pool: SessionPool;
  readonly waitingRoom: WaitingRoom;
  readonly clock?: Clock;
}

type Context = Pick<ReconcileContext, "client" | "log" | "signal">;
type Rule = DeepReadonly<RuleObject>;
type Outcome = { readonly verdict: Verdict; readonly retryAfterMs?: number };

/** What was done is out of date, so there is nothing to say about it: look again. */
const soonMs = 20;

/** How long to wait for a name that another object has; its end is a trigger of its own. */
const rivalMs = 60_000;

/**
 * The one reconciler of all rule kinds: makes the object on the CNF what the custom resource says, in every pod, and says in
 * the resource's status how far it got.
 */
export class RuleReconciler {
  readonly #options: RuleReconcilerOptions;
  readonly #kind: CnfKind;
  readonly #status: RuleStatusWriter;
  /** Of the objects seen so far: once one is gone, nobody else knows. */
  readonly #purposes = new Map<Request, string>();
  /** Of the objects that may be on a pod without a restart of its service: the session that wrote them ended before it. */
  readonly #uncovered = new Set<string>();

  constructor(options: RuleReconcilerOptions) {
    this.#options = options;
    this.#kind = options.kind;
    this.#status = new RuleStatusWriter(options.kind, options.clock ?? systemClock);
  }

  /** For a controller. */
  readonly reconcile = async (request: Request, context: Context): Promise<Result | undefined> => {
    const rule = await context.client.get(this.#kind.kind, request).catch(ignoreNotFound);
    if (!rule) return this.#gone(request);
    this.#purposes.set(request, purposeOf(rule) ?? "");
    const deleting = rule.metadata.deletionTimestamp !== undefined;
    if (deleting && !hasFinalizer(rule, this.#kind.finalizer)) return this.#leave(rule);
    try {
      return await this.#bringAbout(rule, deleting, context);
    } catch (error) {
      // The cache had not seen our own last write yet, or somebody else was quicker: look again.
      if (isConflict(error)) return { requeue: true };
      throw error;
    }
  };

  async #bringAbout(rule: Rule, deleting: boolean, context: Context): Promise<Result | undefined> {
    const outcome = deleting ? await this.#remove(rule, context) : await this.#apply(rule, context);
    if (!outcome) return this.#leave(rule);
    if (outcome === "out of date") {
      this.#uncovered.add(rule.metadata.uid ?? "");
      return { requeueAfterMs: soonMs };
    }
    await this.#conclude(rule, outcome, context);
    return outcome.retryAfterMs === undefined ? undefined : { requeueAfterMs: outcome.retryAfterMs };
  }

  async #apply(rule: Rule, context: Context): Promise<Outcome | "out of date"> {
    const { client, signal } = context;
    const former = formerPurposeOf(this.#kind, rule);
    if (former !== undefined) return this.#moveFrom(former, rule, context);
    const purpose = purposeOf(rule);
    const cnf = await this.#cnfOf(rule, purpose, client);
    if ("verdict" in cnf) return cnf;
    const rival = await olderRival(client, this.#options.kinds, { kind: this.#kind, object: rule });
    if (rival) return this.#refused(rule, rival);
    if (cnf.pods.length === 0) return this.#withoutPods(rule, cnf);
    let wanted: UciObject;
    try {
      wanted = { name: this.#nameOf(rule), ...(await this.#kind.toUci(rule, cnfViewOf(client, cnf))) };
    } catch (error) {
      if (isStatusError(error)) throw error;
      return this.#failed(rule, State.applying, error);
    }
    await patchFinalizerIn(client, this.#kind, rule, purpose ?? "");
    try {
      const changed = await changeEveryPod(this.#options.pool, cnf.pods, this.#change(rule, wanted));
      await this.#rememberSent(rule, wanted, client);
      return { verdict: { state: State.inSync, changed } };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FanOutError)) throw error;
      if (await this.#isOutOfDate(purpose, error, client)) return "out of date";
      return this.#failed(rule, State.applying, error);
    }
  }

  /** Its label changed: what the CNF of the former purpose holds is taken off, and the rule begins anew. */
  async #moveFrom(former: string, rule: Rule, context: Context): Promise<Outcome | "out of date"> {
    const claim = { kind: this.#kind, object: rule };
    const isElses = await isTakenOver(context.client, this.#options.kinds, claim, former);
    const failed = await this.#takeOff(rule, former, isElses, context);
    if (failed) return failed;
    this.#options.waitingRoom.changed(former);
    return "out of date";
  }

  /** @returns nothing when the object is off the CNF and has no finalizer of ours any more */
  async #remove(rule: Rule, context: Context): Promise<Outcome | "out of date" | undefined> {
    const former = formerPurposeOf(this.#kind, rule);
    if (former !== undefined) return this.#moveFrom(former, rule, context);
    const rival = await olderRival(context.client, this.#options.kinds, { kind: this.#kind, object: rule });
    return this.#takeOff(rule, purposeOf(rule), rival !== undefined, context);
  }

  /** @param isElses the name on the CNF is another object's, so what is there stays */
  async #takeOff(
    rule: Rule,
    purpose: string | undefined,
    isElses: boolean,
    { client, signal }: Context,
  ): Promise<Outcome | "out of date" | undefined> {
    const cnf = await this.#cnfOf(rule, purpose, client);
    if ("verdict" in cnf && cnf.verdict.state !== State.idle) return cnf;
    let changed = false;
    if (!("verdict" in cnf) && !isElses) {
      const pods = cnf.pods.filter(({ status }) => status?.podIP);
      try {
        changed = await changeEveryPod(this.#options.pool, pods, this.#change(rule, undefined));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof FanOutError)) throw error;
        if (await this.#isOutOfDate(purpose, error, client)) return "out of date";
        return this.#failed(rule, rule.metadata.deletionTimestamp ? State.deleting : State.applying, error, purpose);
      }
    }
    await patchFinalizerOut(client, this.#kind, rule);
    if (changed) this.#options.waitingRoom.changed(purpose ?? "");
    return undefined;
  }

  /** Whether a pod that failed is no longer, or not as it was: it ended or started again meanwhile. */
  async #isOutOfDate(purpose: string | undefined, { failures }: FanOutError, client: ReadWriter): Promise<boolean> {
    const cnf = await findCnf(client, purpose).catch(() => undefined); // the next look says what is wrong
    const lives = new Set(cnf?.pods.map(lifeOf));
    return failures.some(({ pod }) => !lives.has(lifeOf(pod)));
  }

  /** The CNF, or what to say where there is not exactly one. */
  async #cnfOf(rule: Rule, purpose: string | undefined, client: ReadWriter): Promise<Cnf | Outcome> {
    try {
      const cnf = await findCnf(client, purpose);
      return cnf ?? idle(purpose === undefined ? `No label ${purposeLabel}` : `No CNF has the purpose ${purpose}`);
    } catch (error) {
      if (!(error instanceof AmbiguousCnfError)) throw error;
      return this.#failed(rule, State.unknown, error);
    }
  }

  #change(rule: Rule, wanted: UciObject | undefined): Change {
    const kind = this.#kind;
    const name = this.#nameOf(rule);
    const origin = this.#originOf(rule);
    const neverApplied = !rule.status?.appliedGeneration;
    if (!wanted) return { origin, kind, name, wanted, same: () => false, inForce: neverApplied };
    const sentBefore = rule.metadata.annotations?.[sentHashAnnotation];
    const hash = garbledHash(kind, wanted);
    // Without a finalizer its status, if it has one, speaks of a CNF that it was taken off.
    const isCovered = hasFinalizer(rule, kind.finalizer) && !this.#uncovered.has(rule.metadata.uid ?? "");
    const inForce = isCovered && isInForce(rule, this.#status.current(rule));
    const same: Change["same"] = (stored, sent) => sameOnCnf(kind, wanted, stored, sent ? hash : sentBefore);
    return { origin, kind, name, wanted, same, inForce };
  }

  async #rememberSent(rule: Rule, wanted: UciObject, client: ReadWriter): Promise<void> {
    const hash = garbledHash(this.#kind, wanted);
    if (hash === rule.metadata.annotations?.[sentHashAnnotation]) return;
    await patchAnnotation(client, this.#kind, rule, sentHashAnnotation, hash);
  }

  #withoutPods(rule: Rule, { deployment }: Cnf): Outcome {
    const name = keyOf(deployment);
    if (deployment.spec?.replicas === 0) return idle(`The CNF ${name} is scaled to zero`);
    return this.#failed(rule, State.applying, new Error(`The CNF ${name} has no running pod yet`));
  }

  #refused(rule: Rule, { kind, object }: Claim): Outcome {
    const owner = `${kind.kind.kind} ${keyOf(object)}`;
    this.#options.waitingRoom.enter(this.#originOf(rule), purposeOf(rule) ?? "");
    const message = `The name ${this.#nameOf(rule)} on the CNF belongs to ${owner}, which is older`;
    return { verdict: { state: State.applying, message }, retryAfterMs: rivalMs };
  }

  #failed(rule: Rule, state: Exclude<State, typeof State.inSync>, error: unknown, purpose = purposeOf(rule)): Outcome {
    const where = purpose === purposeOf(rule) ? "" : `Not off the CNF with the purpose ${purpose} yet: `;
    const message = masked(`${where}${messageOf(error)}`, this.#kind.secrets(rule));
    if (error instanceof InvalidSpecError) return { verdict: { state, message } };
    const failures = this.#options.waitingRoom.enter(this.#originOf(rule), purpose ?? "");
    const delayOf = state === State.deleting ? deleteRetryDelayMs : retryDelayMs;
    const errors = error instanceof FanOutError ? error.failures.map((failure) => failure.error) : [error];
    return { verdict: { state, message }, retryAfterMs: Math.min(...errors.map((each) => delayOf(each, failures))) };
  }

  async #conclude(rule: Rule, { verdict, retryAfterMs }: Outcome, { client, log }: Context): Promise<void> {
    if (verdict.state === State.inSync) this.#uncovered.delete(rule.metadata.uid ?? "");
    const written = await this.#status.write(client, rule, verdict);
    if (written) log.info({ ...verdict, requeueAfterMs: retryAfterMs }, "status changed");
    if (verdict.state === State.inSync || verdict.state === State.idle)
      this.#options.waitingRoom.leave(this.#originOf(rule));
    if (verdict.state === State.inSync && verdict.changed) this.#options.waitingRoom.changed(purposeOf(rule) ?? "");
  }

  #leave(rule: Rule): undefined {
    this.#status.forget(rule.metadata.uid ?? "");
    this.#uncovered.delete(rule.metadata.uid ?? "");
    this.#options.waitingRoom.leave(this.#originOf(rule));
  }

  /** Whoever waited for its name, or was refused because something still used it, may try again. */
  #gone(request: Request): undefined {
    this.#options.waitingRoom.leave({ kind: this.#kind.kind.kind, key: request });
    const purpose = this.#purposes.get(request);
    this.#purposes.delete(request);
    if (purpose !== undefined) this.#options.waitingRoom.changed(purpose);
  }

  #nameOf(rule: Rule): string {
    return cnfName(this.#kind.kind.kind, rule.metadata.name);
  }

  #originOf(rule: Rule): Origin {
    return { kind: this.#kind.kind.kind, key: keyOf(rule) };
  }
}

const purposeOf = ({ metadata }: Rule): string | undefined => metadata.labels?.[purposeLabel];
const idle = (message: string): Outcome => ({ verdict: { state: State.idle, message } });
