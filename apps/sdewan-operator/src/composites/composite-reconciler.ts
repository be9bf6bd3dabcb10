import { type DeepReadonly, hasFinalizer, ignoreNotFound, isConflict, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ReconcileContext, Request, Result } from "@kubewright/controller";
import { isPaused, pausedMessage } from "../api/pause.ts";
import { masked } from "../masking/mask.ts";
import {
  type ConditionValue,
  effectiveIn,
  ineffective,
  inForce,
  noCnf,
  notApplied,
  notReady,
  notReported,
  Reason,
  readyReason,
  responding,
  unreachable,
} from "../reporting/conditions.ts";
import { type EventReporter, silentReporter } from "../reporting/event-reporter.ts";
import { reportNotReady, reportShadows } from "../reporting/not-ready-events.ts";
import { ChildWriter, type Problems } from "./child-writer.ts";
import {
  type Child,
  type Composite,
  CompositeError,
  type CompositeKind,
  type CompositeObject,
  type Facts,
} from "./composite-kind.ts";
import { writeStatus } from "./composite-status.ts";
import { apiOf, type LookupOptions, lookUp } from "./environment.ts";
import { type ExistingChild, existingChildren, factsOf } from "./existing-children.ts";

export interface CompositeReconcilerOptions extends LookupOptions {
  readonly kind: CompositeKind;
  /** Interval at which the names are resolved again. */
  readonly checkIntervalMs: number;
  /** Creates Events about composites. Default: no Events. */
  readonly reporter?: EventReporter;
  readonly clock?: Clock;
}

/** The desired children and facts of a composite. */
interface Plan {
  readonly facts: Facts;
  /** The desired children. If undefined, the existing children remain unchanged. */
  readonly children: readonly Child[] | undefined;
  /** Reason why the composite has not taken effect. */
  readonly reason?: string;
}

type Context = Pick<ReconcileContext, "client" | "log" | "signal">;

/**
 * The reconciler for all composite kinds. It maintains exactly the children into which a composite expands, given the
 * current addresses of the composite's DNS names.
 */
export class CompositeReconciler {
  readonly #options: CompositeReconcilerOptions;

  constructor(options: CompositeReconcilerOptions) {
    this.#options = options;
  }

  /** Reconciles one composite. Pass this function to a controller. */
  readonly reconcile = async (request: Request, context: Context): Promise<Result | undefined> => {
    const { kind, checkIntervalMs } = this.#options;
    const object = await context.client.get<CompositeObject>(kind.kind, request).catch(ignoreNotFound);
    if (!object) return undefined;
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    if (isDeleted && !hasFinalizer(object, kind.finalizer)) return undefined;
    try {
      const existing = await existingChildren(kind, object, context.client);
      if (isPaused(object)) return await this.#pause(object, existing, context);
      if (isDeleted) return await this.#remove(object, existing, context);
      await this.#sync(object, existing, context);
      return { requeueAfterMs: checkIntervalMs };
    } catch (error) {
      // Another client changed the object first, so reconcile again.
      if (isConflict(error)) return { requeue: true };
      throw error;
    }
  };

  async #pause(object: Composite, existing: readonly ExistingChild[], context: Context): Promise<undefined> {
    await this.#writeStatus(object, existing, factsOf(object), notReady(Reason.paused, pausedMessage), context);
  }

  async #sync(object: Composite, existing: readonly ExistingChild[], context: Context): Promise<void> {
    const { kind } = this.#options;
    const { client } = context;
    const { facts, children, reason } = await this.#plan(object, existing, client);
    if (children && children.length > 0) await this.#patchFinalizers(client, object, "add");
    const writer = new ChildWriter(kind, client);
    const problems = children ? await writer.sync(object, children, existing) : [];
    const ready = reason === undefined ? readyWith(Reason.waiting, problems) : readyWith(Reason.refused, [reason]);
    await this.#writeStatus(object, existing, facts, ready, context);
  }

  async #plan(object: Composite, existing: readonly ExistingChild[], reader: Reader): Promise<Plan> {
    const { kind, names } = this.#options;
    const environment = {
      addressesOf: await lookUp(names, kind.names(object), object.metadata.namespace),
      api: await apiOf(this.#options, object, reader),
      existing: existing.map((child) => child.object),
    };
    try {
      const facts = kind.facts(object, environment);
      return { facts, children: kind.children(object.metadata.name, facts) };
    } catch (error) {
      if (!(error instanceof CompositeError)) throw error;
      return { facts: factsOf(object), children: error.dropsChildren ? [] : undefined, reason: error.message };
    }
  }

  /** Deletes the children first, then removes the finalizer. */
  async #remove(object: Composite, existing: readonly ExistingChild[], context: Context): Promise<Result | undefined> {
    const { kind, checkIntervalMs } = this.#options;
    const problems = await new ChildWriter(kind, context.client).remove(existing);
    if (problems.length > 0) {
      await this.#writeStatus(object, existing, factsOf(object), readyWith(Reason.deleting, problems), context);
      return { requeueAfterMs: checkIntervalMs };
    }
    await this.#patchFinalizers(context.client, object, "remove").catch(ignoreNotFound);
    return undefined;
  }

  async #writeStatus(
    object: Composite,
    existing: readonly ExistingChild[],
    facts: Facts,
    ready: ConditionValue,
    { client, log }: Context,
  ): Promise<void> {
    const { kind, reporter = silentReporter, clock = systemClock } = this.#options;
    const message = ready.status === "True" ? undefined : ready.message;
    const health = { ready, reachable: reachableBy(existing), effective: effectOf(existing) };
    if (!(await writeStatus(client, kind, object, facts, message, health, clock.now()))) return;
    log.info({ ...(message === undefined ? {} : { reason: message }) }, "status changed");
    const { status: before } = object;
    reportNotReady(reporter, object, before, health);
    if (before?.conditions) reportShadows(reporter, object, effectiveIn(before), health.effective);
    if (ready.status === "True" && (readyReason(before) !== ready.reason || !isOfGeneration(object)))
      reporter.report(object, "Applied", "all of its children are in sync");
  }

  /** Adds or removes the operator's finalizer. A merge patch replaces the whole list, so it must fail if the list has changed. */
  async #patchFinalizers(writer: Writer, object: DeepReadonly<CompositeObject>, how: "add" | "remove"): Promise<void> {
    const { kind, finalizer } = this.#options.kind;
    const others = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    if (hasFinalizer(object, finalizer) === (how === "add")) return;
    const finalizers = how === "add" ? [...others, finalizer] : others;
    await writer.patch(kind, object, { metadata: { finalizers } }, { optimisticLock: true });
  }
}

const isOfGeneration = ({ metadata, status }: Composite): boolean => status?.observedGeneration === metadata.generation;

function readyWith(reason: Reason, problems: Problems): ConditionValue {
  const [first, ...others] = problems;
  if (first === undefined) return inForce;
  const more = others.length > 0 ? `; and ${others.length} more` : "";
  return notReady(reason, masked(`${first}${more}`, []));
}

/** Reports whether the CNF of a composite responds, according to its children. */
function reachableBy(children: readonly ExistingChild[]): ConditionValue {
  const conditions = children.flatMap(
    ({ object }) => object.status?.conditions?.find(({ type }) => type === "Reachable") ?? [],
  );
  const failed = conditions.find(({ status }) => status === "False");
  if (failed) return unreachable(failed.message);
  return conditions.some(({ status }) => status === "True") ? responding : noCnf;
}

/** Returns the effect of a composite: none if one of its children has none. */
function effectOf(children: readonly ExistingChild[]): ConditionValue {
  const effects = children.map(({ kind, object }) => ({ kind, object, effect: effectiveIn(object.status) }));
  const failed = effects.find(({ effect }) => effect?.status === "False");
  if (failed?.effect) {
    const reason = Object.values(Reason).find((each) => each === failed.effect?.reason) ?? Reason.notReported;
    return ineffective(reason, `${failed.kind.kind} ${keyOf(failed.object)}: ${failed.effect.message}`);
  }
  return effects.some(({ effect }) => effect?.reason === Reason.notReported) ? notReported : notApplied;
}
