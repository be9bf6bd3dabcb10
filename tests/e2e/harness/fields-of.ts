import { expect } from "vitest";

/** Returns the fields of a status other than its conditions. */
export function fieldsOf<S extends object>(status: S | undefined): Partial<S> | undefined {
  if (!status) return undefined;
  const fields: Partial<S> & { conditions?: unknown; observedGeneration?: unknown } = { ...status };
  delete fields.conditions;
  delete fields.observedGeneration;
  return fields;
}

/** The conditions of an object in force. The condition `Effective`, which some kinds have, is not compared. */
export const isReady: readonly unknown[] = expect.arrayContaining([
  expect.objectContaining({ type: "Ready", status: "True" }),
  expect.objectContaining({ type: "Reachable", status: "True" }),
]);
