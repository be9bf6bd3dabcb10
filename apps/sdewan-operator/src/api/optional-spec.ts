import type { DefinedKind, KubeObject } from "@kubewright/apimachinery";

/** The reference's CRDs accept objects without a spec, and so do these. */
export function specMayBeAbsent<T extends KubeObject>(kind: DefinedKind<T>): DefinedKind<T> {
  const versions = kind.crd.spec.versions.map((served) => {
    const { required: _spec, ...openAPIV3Schema } = served.schema.openAPIV3Schema;
    return { ...served, schema: { openAPIV3Schema } };
  });
  return { ...kind, crd: { ...kind.crd, spec: { ...kind.crd.spec, versions } } };
}
