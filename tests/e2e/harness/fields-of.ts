import { expect } from "vitest";

/** Returns the fields of a status other than its conditions. */
export function fieldsOf<S extends object>(status: S | undefined): Partial<S> | undefined {
  if (!status) return undefined;
  const fields: Partial<S> & { conditions?: unknown; observedGeneration?: unknown } = { ...status };
  delete fields.conditions;
  delete fields.observedGeneration;
  return fields;
}

/** Checks the conditions of a rule in force. Whether it has an effect depends on its kind and on other rules. */
export function expectReady(status: object | undefined): void {
  const { conditions = [] }: { conditions?: readonly { readonly type: string }[] } = status ?? {};
  const sorted = [...conditions].sort((a, b) => a.type.localeCompare(b.type));
  expect(sorted).toMatchObject([
    { type: "Effective" },
    { type: "Reachable", status: "True" },
    { type: "Ready", status: "True" },
  ]);
}
