import { type DeepReadonly, type Kind, type KubeObject, quote } from "@kubewright/apimachinery";
import type { AdmissionContext, AdmissionHandler } from "./admission-context.ts";
import { DecodeError, decodeRaw } from "./decode.ts";
import { allowed, errored } from "./response.ts";

/** Warnings for the client, or nothing. If a validator throws, the request is rejected. */
// biome-ignore lint/suspicious/noConfusingVoidType: most validators return nothing
export type Verdict = void | string | readonly string[];

/**
 * A kind's validation functions, one for each operation. Operations without a function are allowed, and the webhook is
 * not called for them.
 *
 * @see controller-runtime pkg/webhook/admission Validator
 */
export interface Validator<T extends KubeObject> {
  readonly create?: ((object: DeepReadonly<T>, context: AdmissionContext) => Verdict | Promise<Verdict>) | undefined;
  readonly update?:
    | ((object: DeepReadonly<T>, old: DeepReadonly<T>, context: AdmissionContext) => Verdict | Promise<Verdict>)
    | undefined;
  /** Receives the stored object. */
  readonly delete?: ((object: DeepReadonly<T>, context: AdmissionContext) => Verdict | Promise<Verdict>) | undefined;
}

/**
 * Returns a handler that calls the validator. Operations without a function are allowed.
 *
 * @see controller-runtime pkg/webhook/admission WithValidator
 */
export function validating<T extends KubeObject>(kind: Kind<T>, validator: Validator<T>): AdmissionHandler {
  return async (context) => {
    try {
      const verdict = (await ask(kind, validator, context)) ?? [];
      for (const text of typeof verdict === "string" ? [verdict] : verdict) context.warn(text);
      return allowed();
    } catch (error) {
      if (error instanceof DecodeError) return errored(400, error);
      throw error;
    }
  };
}

function ask<T extends KubeObject>(
  kind: Kind<T>,
  validator: Validator<T>,
  context: AdmissionContext,
): Verdict | Promise<Verdict> {
  const { operation, object, oldObject } = context.request;
  switch (operation) {
    case "CREATE":
      return validator.create?.(decodeRaw(object, kind), context);
    case "UPDATE":
      return validator.update?.(decodeRaw(object, kind), decodeRaw(oldObject, kind), context);
    case "DELETE":
      return validator.delete?.(decodeRaw(oldObject, kind), context);
    case "CONNECT":
      return undefined;
    default:
      throw new DecodeError(`unknown operation ${quote(operation)}`);
  }
}
