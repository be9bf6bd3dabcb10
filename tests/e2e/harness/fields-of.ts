/** Returns the fields of a status other than its conditions. */
export function fieldsOf<S extends object>(status: S | undefined): Partial<S> | undefined {
  if (!status) return undefined;
  const fields: Partial<S> & { conditions?: unknown; observedGeneration?: unknown } = { ...status };
  delete fields.conditions;
  delete fields.observedGeneration;
  return fields;
}

/** The conditions of a rule in force. Whether it has an effect depends on its kind and on other rules. */
export const isReady = [
  { type: "Ready", status: "True" },
  { type: "Reachable", status: "True" },
  { type: "Effective" },
];
