import { isErrorWithCode, KubewrightError, type Unstructured } from "@kubewright/apimachinery";

/** A field whose value differs between two states of an object. */
export interface FieldChange {
  /** Path of the field, such as `spec.template.spec.containers[web].image`. */
  readonly path: string;
  /** Value before the change; absent if the field was added. Values in Secrets are omitted. */
  readonly from?: unknown;
  /** Value after the change; absent if the field was removed. Values in Secrets are omitted. */
  readonly to?: unknown;
}

/** An object that the program would create, change or delete. */
export interface PlannedChange {
  readonly action: "create" | "change" | "delete";
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for objects without a namespace. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /**
   * The object whose reconcile caused the change, such as `Site shop/north`, or the manifest file that the change comes from. Absent if
   * unknown.
   */
  readonly cause?: string | undefined;
  /** The fields that differ; for an object that is created, its fields; empty for one that is deleted. */
  readonly fields: readonly FieldChange[];
}

/** An object for which the plan is incomplete. */
export interface PlannedUnknown {
  /** Kind and key, such as `Site shop/north`. */
  readonly object: string;
  /** Reason, such as `connection to 10.0.0.7:443 was refused (pass --allow 10.0.0.7:443)`. */
  readonly reason: string;
}

/** The changes that a program would make in a cluster. */
export interface PlanReport {
  readonly changes: readonly PlannedChange[];
  readonly unknown: readonly PlannedUnknown[];
  /** Number of objects that the program reconciled or wrote, but would not change. */
  readonly unchanged: number;
  /** Number of reconciles until the program had nothing left to do. Absent for a program in another language. */
  readonly reconciles?: number | undefined;
  /** Resource version at which the cluster was copied. */
  readonly revision: string;
  /** The plan's limitations: everything that it does not take into account, as sentences. */
  readonly limits: readonly string[];
}

/** An object to apply to the copy of the cluster before the program runs. */
export interface PlannedManifest {
  readonly object: Unstructured;
  /** File that contains the manifest. */
  readonly source: string;
}

/** Reasons why a plan cannot be made. */
export type PlanFailure =
  /** A manifest or a module cannot be used. */
  | "input"
  /** The cluster does not permit a request, cannot be reached, or is too large to be copied. */
  | "cluster"
  /** The program does not settle. */
  | "loop"
  /** The program fails. */
  | "program";

/** Thrown if no plan can be made for a program. */
export class PlanError extends KubewrightError {
  override readonly name = "PlanError";
  override readonly code = "ERR_PLAN";
  readonly reason: PlanFailure;

  constructor(reason: PlanFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Reports whether an error is a {@link PlanError}, including one from another copy of this package. */
export const isPlanError = isErrorWithCode<PlanError>("ERR_PLAN");
