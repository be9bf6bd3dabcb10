import { stringify } from "yaml";
import type { TextFile } from "../project/files.ts";

const header = "# Written by kubewright generate; change src/, or patch in config/overlays\n";

/** Documents in YAML as older readers take it, too. @param head default: the line that says where they come from */
export const manifestText = (documents: readonly object[], head = header): string =>
  head +
  documents
    .map((one) =>
      stringify(JSON.parse(JSON.stringify(one)), { aliasDuplicateObjects: false, lineWidth: 0, compat: "yaml-1.1" }),
    )
    .join("---\n");

export const kustomization = (resources: readonly string[]): TextFile => ({
  path: "kustomization.yaml",
  text: manifestText([{ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources }]),
});
