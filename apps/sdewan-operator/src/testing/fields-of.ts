import type { DeepReadonly } from "@kubewright/apimachinery";
import type { ConditionStatus } from "../api/conditions.ts";

/** Returns the fields of a status other than its conditions. */
export function fieldsOf<S extends ConditionStatus>(
  status: DeepReadonly<S> | undefined,
): Omit<DeepReadonly<S>, keyof ConditionStatus> | undefined {
  if (!status) return undefined;
  const { conditions: _conditions, observedGeneration: _generation, ...fields } = status;
  return fields;
}
