/** What a status says beside its conditions. */
export function fieldsOf<S extends object>(status: S | undefined): Partial<S> | undefined {
  if (!status) return undefined;
  const fields: Partial<S> & { conditions?: unknown; observedGeneration?: unknown } = { ...status };
  delete fields.conditions;
  delete fields.observedGeneration;
  return fields;
}

/** What the conditions of an object are when it is in force. */
export const isReady = [
  { type: "Ready", status: "True" },
  { type: "Reachable", status: "True" },
];
