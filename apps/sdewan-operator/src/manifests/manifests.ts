import { globSync } from "node:fs";
import { crdManifests } from "./crds.ts";
import { type Manifest, yaml } from "./manifest.ts";
import { roleManifest } from "./role.ts";
import { webhookManifest } from "./webhook.ts";

/** Folders in which every file is a generated one. */
export const generatedFolders: readonly string[] = ["config/crd/bases"];

/** Every file that is generated from the kinds and from what is in the operator's folder. */
export const manifests = (folder: string): readonly Manifest[] => [
  ...crdManifests(),
  roleManifest(),
  webhookManifest(),
  sampleList(folder),
];

/** The samples, for `kubectl apply -k`; the CNFs that they are for are in `cnfs/`. */
const sampleList = (folder: string): Manifest => ({
  path: "samples/kustomization.yaml",
  text: yaml({
    resources: globSync("**/*.yaml", { cwd: `${folder}/samples` })
      .filter((name) => name !== "kustomization.yaml")
      .map((name) => name.replaceAll("\\", "/"))
      .sort(),
  }),
});
