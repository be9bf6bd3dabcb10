import type { KubeObject } from "@kubewright/apimachinery";

/** A CustomResourceDefinition, with only the fields that this package uses. */
export interface Crd extends KubeObject {
  spec: {
    group: string;
    names: { plural: string; kind: string };
    versions: { name: string; served: boolean; additionalPrinterColumns?: object[] | undefined }[];
    conversion?:
      | {
          strategy: string;
          webhook?: { clientConfig?: object | undefined; conversionReviewVersions?: string[] | undefined } | undefined;
        }
      | undefined;
  };
}

/**
 * A kind created by `defineKind`, a CustomResourceDefinition, or the path of a YAML or JSON file, or of a folder with
 * such files.
 */
export type CrdSource = string | { readonly crd: object } | object;

export const isCrd = (value: unknown): value is Crd =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  value.kind === "CustomResourceDefinition" &&
  "spec" in value;
