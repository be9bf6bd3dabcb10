import { stringify } from "yaml";
import { apiKinds } from "./kinds.ts";

/**
 * The CustomResourceDefinitions as files: name and text. What older readers of YAML, kubectl's among them, take for something
 * else than text is quoted: `yes`, `on`, `0123`.
 */
export function crdManifests(): { readonly name: string; readonly text: string }[] {
  return apiKinds.map(({ crd }) => ({
    name: `${crd.spec.group}_${crd.spec.names.plural}.yaml`,
    text: `# Written by tools/write-crds.ts from src/api.\n${stringify(crd, { sortMapEntries: true, lineWidth: 0, compat: "yaml-1.1" })}`,
  }));
}
