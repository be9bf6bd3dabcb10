import { jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import type { StoredObject } from "./storage.ts";

/** Fields of the metadata that the storage itself sets or drops. */
const unkept: ReadonlySet<string> = new Set(["resourceVersion", "selfLink"]);
const metadata: ReadonlySet<string> = new Set(["metadata"]);

/** Reports whether an object to be written equals the stored one, apart from fields that the storage sets. */
export const sameButVersion = (current: StoredObject, next: Unstructured): boolean =>
  equalBut(unkept, current.metadata, next.metadata) && equalBut(metadata, current, next);

function equalBut(passedOver: ReadonlySet<string>, one: object, other: object): boolean {
  const [a, b] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  for (const name in a) if (!passedOver.has(name) && !jsonEqual(a[name], b[name])) return false;
  for (const name in b) if (!passedOver.has(name) && !Object.hasOwn(a, name)) return false;
  return true;
}
