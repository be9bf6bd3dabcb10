import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { purposeLabel } from "../src/api/group.ts";

/** A custom resource and its state. */
export interface ObjectRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly purpose: string;
  readonly state: string;
  readonly message: string;
  /** The children of a composite, such as `CNFNAT default/webnat`. */
  readonly children?: readonly string[];
}

/** Returns the fields of a row that identify the object. */
export function identityOf(kind: string, { metadata }: { readonly metadata: DeepReadonly<KubeObject["metadata"]> }) {
  return {
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    purpose: metadata.labels?.[purposeLabel] ?? "",
  };
}
