import {
  type DeepReadonly,
  hasFinalizer,
  ignoreNotFound,
  isConflict,
  isStatusError,
  keyOf,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ReconcileContext, Request, Result } from "@kubewright/controller";
import { purposeLabel, sentHashAnnotation } from "../api/group.ts";
import { State } from "../api/status.ts";
import type { Change, Origin } from "../cnf/batch.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import {
  AmbiguousCnfError,
  type Cnf,
  CnfOutOfScopeError,
  findCnf,
  type Reach,
  type StrayPods,
  strayPods,
} from "../cnf/discovery.ts";
import { lifeOf } from "../cnf/pod-state.ts";
import type { SessionPool } from "../cnf/session-pool.ts";
import { type CnfKind, InvalidSpecError, type RuleObject } from "../uci/cnf-kind.ts";
import { garbledHash, sameOnCnf } from "../uci/compare.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { changeEveryPod, FanOutError, messageOf } from "./fan-out.ts";
import { masked } from "./mask.ts";
import { formerPurposeOf, patchAnnotation, patchFinalizerIn, patchFinalizerOut } from "./metadata-patch.ts";
import { deleteRetryDelayMs, retryDelayMs } from "./retry.ts";
import {
  type Claim,
  isOlders,
  isTakenOver,
  isWantedByOthers,
  olderRival,
  type Rival,
  type RivalSearch,
} from "./rivals.ts";
import { isInForce, RuleStatusWriter, type Verdict } from "./rule-status.ts";
import type { WaitingRoom } from "./waiting-room.ts";

export interface RuleReconcilerOptions {
  readonly kind: CnfKind;
  /** Every rule kind: those that share names with `kind` are among them. */
  readonly kinds: readonly CnfKind[];
  readonly pool: SessionPool;
  readonly waitingRoom: WaitingRoom;
  /** Which CNFs a resource may configure. Default: any. */
  readonly scope?: CnfScope;
  readonly clock?: Clock;
}

type Context = Pick<ReconcileContext, "client" | "log" | "signal">;
type Rule = DeepReadonly<RuleObject>;
/** A CNF that may hold a rule's object. */
interface Target {
  readonly purpose: string | undefined;
  /** Only the rule's own annotation says so: what is there is deleted only if it is what the rule asks for. */
  readonly isHearsay: boolean;
}
type Outcome = { readonly verdict: Verdict; readonly retryAfterMs?: number };

/** What was done is out of date, so there is nothing to say about it: look again. */
const soonMs = 20;

/** So many pods are named in a message. */
const mostNames = 5;

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
  /** Which CNFs' purpose this process has applied an object for, by the object's uid. */
  readonly #applied = new Map<string, string>();
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
    const former = this.#formerOf(rule);
    if (former) return this.#moveFrom(former, rule, context);
    const purpose = purposeOf(rule);
    const cnf = await this.#cnfOf(rule, purpose, client);
    if ("verdict" in cnf) return this.#withoutCnf(rule, cnf, context);
    const { namespace } = cnf.deployment.metadata;
    const rival = await olderRival(this.#rivalsIn(client), this.#claimOf(rule), { namespace, purpose });
    if (rival) return this.#refused(rule, rival);
    if (cnf.pods.length === 0) return this.#withoutPods(rule, cnf);
    let wanted: UciObject;
    try {
      wanted = await this.#wanted(rule, cnf, client);
    } catch (error) {
      if (isStatusError(error)) throw error;
      return this.#failed(rule, State.applying, error);
    }
    await patchFinalizerIn(client, this.#kind, rule, purpose ?? "");
    this.#applied.set(rule.metadata.uid ?? "", purpose ?? "");
    try {
      const changed = await changeEveryPod(this.#options.pool, cnf.pods, this.#change(rule, wanted));
      await this.#rememberSent(rule, wanted, client);
      await this.#takeOffStrays(rule, { purpose, isHearsay: false }, "all", client);
      return { verdict: { state: State.inSync, changed } };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FanOutError)) throw error;
      if (await this.#isOutOfDate(rule, purpose, error, client)) return "out of date";
      return this.#failed(rule, State.applying, error);
    }
  }

  /**
   * There is no CNF to apply it to. What is on the pods of one that was given another purpose is taken off; what is on pods
   * that a deleted Deployment left behind stays, since they go on working and may be adopted.
   */
  async #withoutCnf(rule: Rule, outcome: Outcome, { client, signal }: Context): Promise<Outcome | "out of date"> {
    const { verdict } = outcome;
    if (verdict.state !== State.idle || !hasFinalizer(rule, this.#kind.finalizer)) return outcome;
    const purpose = purposeOf(rule);
    try {
      const { orphaned } = await this.#takeOffStrays(rule, { purpose, isHearsay: false }, "relabelled", client);
      if (orphaned.length === 0) return outcome;
      const names = orphaned.slice(0, mostNames).map(keyOf).join(", ");
      return idle(`${verdict.message}; pods of a Deployment that is gone still hold it: ${names}`);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FanOutError)) throw error;
      if (await this.#isOutOfDate(rule, purpose, error, client)) return "out of date";
      return this.#failed(rule, State.applying, error);
    }
  }

  /** Its label changed: what the CNF of the former purpose holds is taken off, and the rule begins anew. */
  async #moveFrom(former: Target, rule: Rule, context: Context): Promise<Outcome | "out of date"> {
    const failed = await this.#takeOff(rule, former, isTakenOver, context);
    if (failed) return failed;
    this.#options.waitingRoom.changed(former.purpose ?? "");
    return "out of date";
  }

  /** The CNF that the rule was for before its label changed: what this process remembers goes before what is written. */
  #formerOf(rule: Rule): Target | undefined {
    const remembered = this.#applied.get(rule.metadata.uid ?? "");
    if (remembered !== undefined && remembered !== (purposeOf(rule) ?? ""))
      return { purpose: remembered, isHearsay: false };
    const purpose = formerPurposeOf(this.#kind, rule);
    return purpose === undefined ? undefined : { purpose, isHearsay: purpose !== remembered };
  }

  /** @returns nothing when the object is off the CNF and has no finalizer of ours any more */
  async #remove(rule: Rule, context: Context): Promise<Outcome | "out of date" | undefined> {
    const former = this.#formerOf(rule);
    if (former) return this.#moveFrom(former, rule, context);
    return this.#takeOff(rule, { purpose: purposeOf(rule), isHearsay: false }, isOlders, context);
  }

  /** @param isElses whether the name on the CNF is another object's, so that what is there stays */
  async #takeOff(
    rule: Rule,
    target: Target,
    isElses: typeof isOlders,
    { client, signal, log }: Context,
  ): Promise<Outcome | "out of date" | undefined> {
    const { purpose } = target;
    const cnf = await this.#cnfOf(rule, purpose, client);
    if ("verdict" in cnf && cnf.verdict.state !== State.idle) return cnf;
    let changed = false;
    try {
      if ("verdict" in cnf) log.info({ purpose, ...cnf.verdict }, "there is no CNF to take the object off");
      else {
        const place = { namespace: cnf.deployment.metadata.namespace, purpose };
        const pods = cnf.pods.filter(({ status }) => status?.podIP);
        if (!(await isElses(this.#rivalsIn(client), this.#claimOf(rule), place)))
          changed = await changeEveryPod(this.#options.pool, pods, await this.#deletion(rule, target, cnf, client));
      }
      await this.#takeOffStrays(rule, target, "all", client);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FanOutError)) throw error;
      if (await this.#isOutOfDate(rule, purpose, error, client)) return "out of date";
      return this.#failed(rule, rule.metadata.deletionTimestamp ? State.deleting : State.applying, error, purpose);
    }
    await patchFinalizerOut(client, this.#kind, rule);
    this.#applied.delete(rule.metadata.uid ?? "");
    if (changed) this.#options.waitingRoom.changed(purpose ?? "");
    return undefined;
  }

  /** Takes the object off pods that are of the CNF no more. @returns those there are */
  async #takeOffStrays(
    rule: Rule,
    { purpose, isHearsay }: Target,
    which: "all" | "relabelled",
    client: ReadWriter,
  ): Promise<StrayPods> {
    if (purpose === undefined) return { relabelled: [], orphaned: [] };
    const strays = await strayPods(client, purpose, this.#reachOf(rule));
    // Who only says that it was for a CNF is not believed about what such a CNF left behind.
    if (isHearsay) return strays;
    const free: DeepReadonly<Pod>[] = which === "all" ? [...strays.orphaned] : [];
    for (const { pod, purpose: next } of strays.relabelled) {
      const place = { namespace: pod.metadata.namespace, purpose: next };
      if (!(await isWantedByOthers(this.#rivalsIn(client), this.#claimOf(rule), place))) free.push(pod);
    }
    await changeEveryPod(this.#options.pool, free, this.#change(rule, undefined));
    return strays;
  }

  /** Whether a pod that failed is no longer, or not as it was: it ended or started again meanwhile. */
  async #isOutOfDate(
    rule: Rule,
    purpose: string | undefined,
    { failures }: FanOutError,
    client: ReadWriter,
  ): Promise<boolean> {
    const reach = this.#reachOf(rule);
    const cnf = await findCnf(client, purpose, reach).catch(() => undefined); // the next look says what is wrong
    const strays = purpose === undefined ? undefined : await strayPods(client, purpose, reach);
    const left = [...(strays?.orphaned ?? []), ...(strays?.relabelled ?? []).map(({ pod }) => pod)];
    const lives = new Set([...(cnf?.pods ?? []), ...left].map(lifeOf));
    return failures.some(({ pod }) => !lives.has(lifeOf(pod)));
  }

  /** The CNF, or what to say where there is not exactly one. */
  async #cnfOf(rule: Rule, purpose: string | undefined, client: ReadWriter): Promise<Cnf | Outcome> {
    try {
      const cnf = await findCnf(client, purpose, this.#reachOf(rule));
      return cnf ?? idle(purpose === undefined ? `No label ${purposeLabel}` : `No CNF has the purpose ${purpose}`);
    } catch (error) {
      if (error instanceof CnfOutOfScopeError) return idle(error.message);
      if (!(error instanceof AmbiguousCnfError)) throw error;
      return this.#failed(rule, State.unknown, error);
    }
  }

  async #wanted(rule: Rule, cnf: Cnf, client: ReadWriter): Promise<UciObject> {
    return { name: this.#nameOf(rule), ...(await this.#kind.toUci(rule, cnfViewOf(client, cnf))) };
  }

  /** The deletion of the object from a CNF; on hearsay, only of one that is as the rule would have it. */
  async #deletion(rule: Rule, { isHearsay }: Target, cnf: Cnf, client: ReadWriter): Promise<Change> {
    const change = this.#change(rule, undefined);
    if (!isHearsay) return change;
    const wanted = await this.#wanted(rule, cnf, client).catch(() => undefined); // then nothing is as it would have it
    const sent = rule.metadata.annotations?.[sentHashAnnotation];
    return { ...change, mayErase: (stored) => wanted !== undefined && sameOnCnf(this.#kind, wanted, stored, sent) };
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

  #refused(rule: Rule, { kind, object, name }: Rival): Outcome {
    const owner = `${kind.kind.kind} ${keyOf(object)}`;
    this.#options.waitingRoom.enter(this.#originOf(rule), purposeOf(rule) ?? "");
    const message = `The name ${name} on the CNF belongs to ${owner}, which is older`;
    return { verdict: { state: State.applying, message }, retryAfterMs: rivalMs };
  }

  #failed(rule: Rule, state: Exclude<State, typeof State.inSync>, error: unknown, purpose = purposeOf(rule)): Outcome {
    const where = purpose === purposeOf(rule) ? "" : `Not off the CNF with the purpose ${purpose} yet: `;
    const secrets = this.#kind.secrets(rule);
    const reason = error instanceof FanOutError ? error.withoutSecrets(secrets) : messageOf(error);
    const message = masked(`${where}${reason}`, secrets);
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
    this.#applied.delete(rule.metadata.uid ?? "");
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

  #rivalsIn(reader: ReadWriter): RivalSearch {
    return { reader, kinds: this.#options.kinds, scope: this.#scope };
  }

  #claimOf(rule: Rule): Claim {
    return { kind: this.#kind, object: rule };
  }

  #reachOf(rule: Rule): Reach {
    return { namespace: rule.metadata.namespace, scope: this.#scope };
  }

  get #scope(): CnfScope {
    return this.#options.scope ?? everyNamespace;
  }

  #nameOf(rule: Rule): string {
    return this.#kind.nameOnCnf(rule.metadata.name);
  }

  #originOf(rule: Rule): Origin {
    return { kind: this.#kind.kind.kind, key: keyOf(rule) };
  }
}

const purposeOf = ({ metadata }: Rule): string | undefined => metadata.labels?.[purposeLabel];
const idle = (message: string): Outcome => ({ verdict: { state: State.idle, message } });
