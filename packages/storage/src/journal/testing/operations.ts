import type { Unstructured } from "@kubewright/apimachinery";
import type { MemoryStorage } from "../../memory/memory-storage.ts";

/** The n-th operation of a writer, which creates, changes or removes one of ten objects. */
type Operation = { readonly name: string; readonly value: number | undefined };

const names = 10;
const removeEvery = 7;

function operation(n: number): Operation {
  const name = `o${(n * 3) % names}`;
  return { name, value: n % removeEvery === 0 ? undefined : n };
}

export const keyOf = (name: string): string => `/core/configmaps/default/${name}`;

/** Performs the n-th operation. If the operation removes an object, the object need not exist. */
export async function perform(storage: MemoryStorage, n: number): Promise<void> {
  const { name, value } = operation(n);
  const key = keyOf(name);
  if (value === undefined) {
    if (await storage.get(key, { ignoreNotFound: true })) await storage.delete(key);
    return;
  }
  const object = (): Unstructured => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: { value: String(value), filling: "ä".repeat(n % 400) },
  });
  await storage.guaranteedUpdate(key, { ignoreNotFound: true }, () => ({ object: object() }));
}

/** Returns the values of all objects after a number of operations. */
export function valuesAfter(operations: number): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (let n = 1; n <= operations; n++) {
    const { name, value } = operation(n);
    if (value === undefined) values.delete(name);
    else values.set(name, value);
  }
  return values;
}
