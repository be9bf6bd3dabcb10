import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { purposeLabel } from "../api/group.ts";

/** A custom resource, and how far it got. */
export interface ObjectRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly purpose: string;
  readonly state: string;
  readonly message: string;
  /** What it is made of, such as `CNFNAT default/webnat`, if it is a composite. */
  readonly children?: readonly string[];
}

/** The part of a row that says which object it is about. */
export function identityOf(kind: string, { metadata }: { readonly metadata: DeepReadonly<KubeObject["metadata"]> }) {
  return {
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    purpose: metadata.labels?.[purposeLabel] ?? "",
  };
}
