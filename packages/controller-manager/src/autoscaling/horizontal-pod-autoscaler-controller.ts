import {
  type Condition,
  type DeepReadonly,
  jsonEqual,
  type Kind,
  keyOf,
  mutableCopy,
  type RESTMapper,
  setCondition,
} from "@kubewright/apimachinery";
import { HorizontalPodAutoscaler, type Scale } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { asReconciler, type ReconcileContext, type Result } from "@kubewright/controller";
import type { AddController, ControllerParts } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { unmetMetric } from "./unmet-metric.ts";

type Autoscaler = DeepReadonly<HorizontalPodAutoscaler>;

/** Interval between checks of a scale target. */
const periodMs = 15_000;

/**
 * Keeps each scale target between its minimum and maximum number of replicas. The controller cannot scale based on
 * metrics, because the control plane has none; the autoscaler's conditions report this.
 *
 * @see kubernetes pkg/controller/podautoscaler horizontal.go
 */
export const addHorizontalPodAutoscaler: AddController = ({ controller, manager, clock }: ControllerParts) => {
  controller("horizontal-pod-autoscaler-controller")
    .for(HorizontalPodAutoscaler, {
      predicates: [(event) => event.type !== "update" || !jsonEqual(event.old.spec ?? null, event.object.spec ?? null)],
    })
    .complete(
      asReconciler(HorizontalPodAutoscaler, async (autoscaler, context): Promise<Result> => {
        await new Autoscaling(autoscaler, context, clock, manager.mapper).run();
        return { requeueAfterMs: periodMs };
      }),
    );
};

class Autoscaling {
  readonly #autoscaler: Autoscaler;
  readonly #context: ReconcileContext;
  readonly #clock: Clock;
  readonly #mapper: RESTMapper;
  readonly #conditions: Condition[];
  #status: Record<string, unknown> = {};

  constructor(autoscaler: Autoscaler, context: ReconcileContext, clock: Clock, mapper: RESTMapper) {
    this.#autoscaler = autoscaler;
    this.#context = context;
    this.#clock = clock;
    this.#mapper = mapper;
    this.#conditions = (mutableCopy(autoscaler.status?.conditions) ?? []) as Condition[];
  }

  async run(): Promise<void> {
    await this.#look();
    const { status } = this.#autoscaler;
    const next = {
      desiredReplicas: status?.desiredReplicas ?? 0,
      ...this.#status,
      conditions: this.#conditions.map((each) => ({ ...each })),
    };
    const present = Object.fromEntries(Object.keys(next).map((key) => [key, Reflect.get(status ?? {}, key) ?? null]));
    if (jsonEqual(JSON.parse(JSON.stringify(next)), JSON.parse(JSON.stringify(present)))) return;
    await this.#context.client.status.patch(HorizontalPodAutoscaler, keyOf(this.#autoscaler), next).catch(ignoreGone);
  }

  async #look(): Promise<void> {
    const { maxReplicas = 1, minReplicas = 1, metrics = [] } = this.#autoscaler.spec ?? {};
    const target = await this.#target();
    if (!target) return;
    const { spec, status } = target.scale;
    const current = spec?.replicas ?? 0;
    this.#status = { currentReplicas: current };
    this.#setCondition(
      "AbleToScale",
      true,
      "SucceededGetScale",
      "the HPA controller was able to get the target's current scale",
    );
    if (current === 0) {
      const message = "scaling is disabled since the replica count of the target is zero";
      this.#setCondition("ScalingActive", false, "ScalingDisabled", message);
      this.#status = { currentReplicas: 0, desiredReplicas: 0 };
    } else if (current > maxReplicas)
      await this.#rescale(target, maxReplicas, "Current number of replicas above Spec.MaxReplicas");
    else if (current < minReplicas)
      await this.#rescale(target, minReplicas, "Current number of replicas below Spec.MinReplicas");
    else if (!status?.selector) {
      this.#setCondition("ScalingActive", false, "InvalidSelector", "the HPA target's scale is missing a selector");
      this.#warn("SelectorRequired", "selector is required");
    } else {
      const { reason, error } = unmetMetric(metrics[0], this.#autoscaler.metadata.namespace ?? "");
      this.#setCondition("ScalingActive", false, reason, `the HPA was unable to compute the replica count: ${error}`);
      this.#warn(reason, error);
    }
  }

  async #target(): Promise<{ readonly kind: Kind; readonly scale: Scale } | undefined> {
    const { apiVersion = "", kind = "", name = "" } = this.#autoscaler.spec?.scaleTargetRef ?? {};
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    try {
      const { gvk, gvr, scope } = await this.#mapper.mappingFor({ group, kind });
      const scaled = { ...gvk, plural: gvr.resource, scope };
      const key = { namespace: this.#autoscaler.metadata.namespace, name };
      return { kind: scaled, scale: await this.#context.client.subResource("scale").get(scaled, key) };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const message = `the HPA controller was unable to get the target's current scale: ${text}`;
      this.#setCondition("AbleToScale", false, "FailedGetScale", message);
      this.#warn("FailedGetScale", text);
      return undefined;
    }
  }

  async #rescale(target: { readonly kind: Kind; readonly scale: Scale }, size: number, why: string): Promise<void> {
    const { kind, scale } = target;
    await this.#context.client
      .subResource("scale")
      .update(kind, scale, { ...scale, spec: { ...scale.spec, replicas: size } });
    const message = `the HPA controller was able to update the target scale to ${size}`;
    this.#setCondition("AbleToScale", true, "SucceededRescale", message);
    this.#context.recorder.event(this.#autoscaler, {
      reason: "SuccessfulRescale",
      note: `New size: ${size}; reason: ${why}`,
    });
    this.#status = { ...this.#status, desiredReplicas: size, lastScaleTime: rfc3339(this.#clock.now()) };
  }

  #setCondition(type: string, holds: boolean, reason: string, message: string): void {
    const now = rfc3339(this.#clock.now());
    setCondition(this.#conditions, { type, status: holds ? "True" : "False", reason, message }, now);
  }

  #warn(reason: string, note: string): void {
    this.#context.recorder.event(this.#autoscaler, { type: "Warning", reason, note });
  }
}
