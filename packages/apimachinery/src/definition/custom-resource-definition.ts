import type { Scope } from "../object/kind.ts";
import type { ObjectMeta } from "../object/object.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";

/** A column that `kubectl get` shows. @see apiextensions/v1 CustomResourceColumnDefinition */
export interface PrinterColumn {
  name: string;
  /** The value's type. `kubectl` shows a `date` as an age. */
  type: "integer" | "number" | "string" | "boolean" | "date";
  /** Path to the value in the object, such as `.status.phase`. */
  jsonPath: string;
  /** OpenAPI format. `name` marks the column with the object's name. */
  format?: string;
  description?: string;
  /** Columns with priority 0 are always shown, others only with `-o wide`. Default 0. */
  priority?: number;
}

/** Paths of the fields that the scale subresource reads and writes, such as `.spec.replicas`. */
export interface ScaleSubresource {
  specReplicasPath: string;
  statusReplicasPath: string;
  /** Path of a label selector in text form, which a HorizontalPodAutoscaler needs. Default: none. */
  labelSelectorPath?: string;
}

/** One version of a custom resource: an item of `spec.versions`. @see apiextensions/v1 CustomResourceDefinitionVersion */
export interface CustomResourceDefinitionVersion {
  /** Name, such as `v1` or `v1beta1`. */
  name: string;
  /** True if clients can use the version. */
  served: boolean;
  /** True if objects are stored in this version. Exactly one version must be the stored one. */
  storage: boolean;
  deprecated?: boolean;
  /** Warning that the API server sends to clients of a deprecated version. Default: a text that the API server generates. */
  deprecationWarning?: string;
  /** Schema with which the API server prunes, defaults and validates objects. */
  schema: { openAPIV3Schema: StructuralSchema };
  /** Enabled subresources. Default: none. */
  subresources?: { status?: Record<string, never>; scale?: ScaleSubresource };
  /** Columns that `kubectl get` shows after the name. Default: the age only. */
  additionalPrinterColumns?: PrinterColumn[];
  /** Fields that field selectors can use, in addition to name and namespace: at most 8 paths, such as `.spec.color`. */
  selectableFields?: { jsonPath: string }[];
}

/** A webhook's address: either a Service in the cluster or a URL. @see apiextensions/v1 WebhookClientConfig */
export interface WebhookClientConfig {
  /** URL in the form `https://host:port/path`. Port and path are optional. */
  url?: string;
  /** Service in the cluster. Default port 443. */
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** PEM-encoded CA certificates, in base64. */
  caBundle?: string;
}

/** How the API server converts objects from one version to another. @see apiextensions/v1 CustomResourceConversion */
export interface CustomResourceConversion {
  /** `None` changes only `apiVersion`, for versions that have the same fields. `Webhook` calls a webhook. */
  strategy: "None" | "Webhook";
  /** Address of the webhook and the ConversionReview versions that it accepts. Only for the strategy `Webhook`. */
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions: string[] };
}

/** Complete CustomResourceDefinition of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionManifest {
  apiVersion: "apiextensions.k8s.io/v1";
  kind: "CustomResourceDefinition";
  metadata: ObjectMeta;
  spec: {
    group: string;
    scope: Scope;
    names: {
      plural: string;
      singular: string;
      kind: string;
      listKind: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: CustomResourceDefinitionVersion[];
    conversion?: CustomResourceConversion;
    preserveUnknownFields?: false;
  };
}
