import { apiKinds } from "../kinds/api-kinds.ts";
import { type Manifest, yaml } from "./manifest.ts";

const bases = "config/crd/bases";

/** The CustomResourceDefinition of each kind, and the list of them for kustomize. */
export const crdManifests = (): readonly Manifest[] => [
  ...apiKinds.map(({ crd }) => ({
    path: `${bases}/${crd.spec.group}_${crd.spec.names.plural}.yaml`,
    text: yaml(crd, { sortMapEntries: true }),
  })),
  {
    path: "config/crd/kustomization.yaml",
    text: yaml({ resources: apiKinds.map(({ group, plural }) => `bases/${group}_${plural}.yaml`) }),
  },
];
