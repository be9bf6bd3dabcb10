import type { Scope } from "../object/kind.ts";
import type { ObjectMeta } from "../object/object.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";

/** A column that `kubectl get` shows. @see apiextensions/v1 CustomResourceColumnDefinition */
export interface PrinterColumn {
  name: string;
  /** How the value is printed: a `date` as its age. */
  type: "integer" | "number" | "string" | "boolean" | "date";
  /** Path in the object, such as `.status.phase`. */
  jsonPath: string;
  /** In OpenAPI's words; `name` for the first column. */
  format?: string;
  description?: string;
  /** 0 is always shown; more only with `-o wide`. */
  priority?: number;
}

/** Where the scale subresource finds its numbers: paths such as `.spec.replicas`. */
export interface ScaleSubresource {
  specReplicasPath: string;
  statusReplicasPath: string;
  /** A selector as text, which a HorizontalPodAutoscaler needs. Default: none. */
  labelSelectorPath?: string;
}

/** One version of a custom resource, as `spec.versions` has it. @see apiextensions/v1 CustomResourceDefinitionVersion */
export interface CustomResourceDefinitionVersion {
  /** Such as `v1` or `v1beta1`. */
  name: string;
  /** Whether clients may use it. */
  served: boolean;
  /** Whether objects are stored in it; so in exactly one version. */
  storage: boolean;
  deprecated?: boolean;
  /** What clients of a deprecated version are warned with. Default: the API server's words. */
  deprecationWarning?: string;
  /** What the API server prunes, defaults and validates objects by. */
  schema: { openAPIV3Schema: StructuralSchema };
  /** Which of `/status` and `/scale` there are. Default: neither. */
  subresources?: { status?: Record<string, never>; scale?: ScaleSubresource };
  /** Shown after the name. Default: the age alone. */
  additionalPrinterColumns?: PrinterColumn[];
  /** What field selectors may ask for beside name and namespace; at most 8 paths, such as `.spec.color`. */
  selectableFields?: { jsonPath: string }[];
}

/** Where a webhook is: a service in the cluster, or a URL. @see apiextensions/v1 WebhookClientConfig */
export interface WebhookClientConfig {
  /** `https://host:port/path`, port and path as needed. */
  url?: string;
  /** Default of the port: 443. */
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** PEM, as base64. */
  caBundle?: string;
}

/** How the API server brings objects from one version into another. @see apiextensions/v1 CustomResourceConversion */
export interface CustomResourceConversion {
  /** `None`: all versions have the same fields, and only `apiVersion` changes. */
  strategy: "None" | "Webhook";
  /** Of strategy `Webhook`: where it is, and which versions of ConversionReview it takes. */
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions: string[] };
}

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`, ready to be created. */
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
