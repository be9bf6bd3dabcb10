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
  const key = `${options.custom} ${accept ?? ""}`;
  let known = remembered.get(key);
  if (!known) {
    known = read(accept, options);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, known);
  }
  return known;
}

/** Clients ask the same way again and again. */
const remembered = new Map<string, Negotiated>();
const maxRemembered = 200;

function read(accept: string | undefined, options: { readonly custom: boolean }): Negotiated {
  const alternatives = parseAccept(accept === undefined || accept.trim() === "" ? "*/*" : accept);
  let knowsFormat = false;
  for (const { type, parameters } of alternatives) {
    const mediaType = offered(type, options.custom);
    if (mediaType === undefined) continue;
    const view = viewOf(parameters);
    if (view) return { mediaType, ...view };
    knowsFormat = true;
  }
  throw notAcceptable(options.custom, knowsFormat);
}

/** Upstream's two servers read patterns differently: that of built-in resources takes no `application/*`. */
function offered(type: string, custom: boolean): Negotiated["mediaType"] | undefined {
  if (type === "*/*" || type === "application/json" || (custom && type === "application/*")) return "application/json";
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

/** 406: the format is to be had, but not in that view. */
export const unknownView = (): StatusError => notAcceptable(false, true);

/** `knowsFormat`: only the view is not to be had, which is found out later and said in other words. */
function notAcceptable(custom: boolean, knowsFormat: boolean): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: knowsFormat
      ? `only the following media types are accepted: ${formats}`
      : custom
        ? "only the following media types are accepted: application/json, application/yaml"
        : `406: Not Acceptable\n\nAvailable representations: ${formats}`,
    reason: "NotAcceptable",
    ...(custom || knowsFormat ? {} : { details: {} }),
    code: 406,
  });
}
