import { documentsAt } from "../bed/manifests.ts";
import { type Crd, type CrdSource, isCrd } from "./crd-source.ts";

/**
 * Loads CRDs from sources. If several CRDs have the same name, the last one wins. Ignores documents of other kinds in
 * files.
 *
 * @throws {Error} if an object is not a CustomResourceDefinition, or if a file is not YAML or, with `errorIfPathMissing`, does not exist
 * @see controller-runtime pkg/envtest ReadCRDFiles
 */
export function loadCrds(
  sources: readonly CrdSource[],
  options: { readonly errorIfPathMissing?: boolean } = {},
): Crd[] {
  const byName = new Map<string, Crd>();
  for (const source of sources)
    for (const crd of typeof source === "string"
      ? fromPath(source, options.errorIfPathMissing ?? false)
      : [fromObject(source)])
      byName.set(crd.metadata.name, crd);
  return [...byName.values()];
}

function fromObject(source: object): Crd {
  const value = "crd" in source ? source.crd : source;
  if (isCrd(value)) return value;
  throw new Error(`not a CustomResourceDefinition: ${JSON.stringify(value)?.slice(0, 200)}`);
}

function fromPath(path: string, errorIfMissing: boolean): Crd[] {
  const documents = documentsAt(path);
  if (!documents && errorIfMissing)
    throw new Error(`there are no CustomResourceDefinitions at ${path}: no such file or folder`);
  return documents?.filter(isCrd) ?? [];
}
