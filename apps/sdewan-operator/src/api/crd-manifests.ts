import { stringify } from "yaml";
import { apiKinds } from "./kinds.ts";

/** The CustomResourceDefinitions as files: name and text. */
export function crdManifests(): { readonly name: string; readonly text: string }[] {
  return apiKinds.map(({ crd }) => ({
    name: `${crd.spec.group}_${crd.spec.names.plural}.yaml`,
    text: `# Written by tools/write-crds.ts from src/api.\n${stringify(crd, { sortMapEntries: true, lineWidth: 0 })}`,
  }));
}
