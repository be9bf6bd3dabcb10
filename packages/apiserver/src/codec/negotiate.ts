import { StatusError } from "@kubewright/apimachinery";
import { parseAccept } from "./media-type.ts";

/** How an answer is to be written. */
export interface Negotiated {
  readonly mediaType: "application/json" | "application/yaml";
  /** What the object is shown as: itself, a Table, or its metadata alone. */
  readonly view: "object" | "table" | "partial" | "partialList";
  readonly viewVersion: "v1" | "v1beta1";
}

/**
 * What the client accepts best of what can be offered: JSON or YAML, each as the object, a Table or its metadata. Protobuf answers are
 * not offered; clients that ask for them list JSON too.
 *
 * @throws {StatusError} 406 if nothing fits
 */
export function negotiate(accept: string | undefined, options: { readonly custom: boolean }): Negotiated {
  const alternatives = parseAccept(accept === undefined || accept.trim() === "" ? "*/*" : accept);
  for (const { type, parameters } of alternatives) {
    const mediaType = offered(type);
    if (mediaType === undefined) continue;
    const view = viewOf(parameters);
    if (view) return { mediaType, ...view };
  }
  throw notAcceptable(options.custom);
}

function offered(type: string): Negotiated["mediaType"] | undefined {
  if (type === "*/*" || type === "application/*" || type === "application/json") return "application/json";
  return type === "application/yaml" ? type : undefined;
}

const views: Readonly<Record<string, Negotiated["view"]>> = {
  Table: "table",
  PartialObjectMetadata: "partial",
  PartialObjectMetadataList: "partialList",
};

function viewOf(parameters: Readonly<Record<string, string>>): Pick<Negotiated, "view" | "viewVersion"> | undefined {
  const wanted = parameters.as;
  if (wanted === undefined) return { view: "object", viewVersion: "v1" };
  const view = views[wanted];
  const version = parameters.v ?? "v1";
  if (view === undefined || (parameters.g ?? "meta.k8s.io") !== "meta.k8s.io") return undefined;
  return version === "v1" || version === "v1beta1" ? { view, viewVersion: version } : undefined;
}

const formats = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

function notAcceptable(custom: boolean): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: custom
      ? "only the following media types are accepted: application/json, application/yaml"
      : `406: Not Acceptable\n\nAvailable representations: ${formats}`,
    reason: "NotAcceptable",
    ...(custom ? {} : { details: {} }),
    code: 406,
  });
}
