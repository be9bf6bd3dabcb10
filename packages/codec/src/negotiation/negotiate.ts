import { ownMember, StatusError } from "@kubewright/apimachinery";
import { type AcceptClause, parseAccept } from "./accept.ts";

/** Media type of a response. */
export type MediaType = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

/** The representation negotiated for a response. */
export interface Negotiated {
  readonly mediaType: MediaType;
  /** View of the object: the object itself, a Table, or only its metadata. */
  readonly view: "object" | "table" | "partial" | "partialList";
  readonly viewVersion: "v1" | "v1beta1";
  /** True if the media type has the parameter `pretty=1`. */
  readonly pretty: boolean;
}

/**
 * The category of a response, which determines the available representations. Objects and (watchable) collections of
 * built-in resources are available in all formats. Custom resources are available in JSON and YAML, their metadata also
 * in protobuf. Documents (discovery, errors) have no views. For routed requests, `Accept` is checked twice; see {@link
 * isProduced}.
 */
export type Offer = "object" | "collection" | "custom" | "routed document" | "document";

const isRouted = (offer: Offer): boolean => offer === "object" || offer === "collection" || offer === "routed document";

/**
 * Returns the client's preferred representation among those available.
 *
 * @throws {StatusError} 406 if the client accepts none of them
 *
 * @see apiserver pkg/endpoints/handlers/negotiation NegotiateOutputMediaType
 */
export function negotiate(accept: string | undefined, offer: Offer): Negotiated {
  if (accept === undefined || accept === "") return anything;
  const known = rememberedBest(accept, offer);
  if (known) return known;
  if (isRouted(offer) && !isProduced(accept))
    throw notProduced(offer === "collection" ? `${names}, ${streamNames}` : names);
  throw unknownView();
}

/** Returns the representation for an error, or `undefined` if the client accepts none of them. */
export function negotiateError(accept: string | undefined): Negotiated | undefined {
  return accept === undefined || accept === "" ? anything : rememberedBest(accept, "document");
}

const anything: Negotiated = { mediaType: "application/json", view: "object", viewVersion: "v1", pretty: false };

/** Results, keyed by header. They are cached because clients repeat their headers. */
const remembered = new Map<string, Negotiated | undefined>();
const maxRemembered = 200;
const longestRemembered = 1_000;

function rememberedBest(accept: string, offer: Offer): Negotiated | undefined {
  const key = `${offer} ${accept}`;
  const known = remembered.get(key);
  if (known || remembered.has(key)) return known;
  const found = best(accept, offer);
  if (accept.length > longestRemembered) return found;
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(key, found);
  return found;
}

/** Media types in the order in which they are compared with patterns. */
const formats: readonly { readonly mediaType: MediaType; readonly subtype: string; readonly streams: boolean }[] = [
  { mediaType: "application/json", subtype: "json", streams: true },
  { mediaType: "application/yaml", subtype: "yaml", streams: false },
  { mediaType: "application/vnd.kubernetes.protobuf", subtype: "vnd.kubernetes.protobuf", streams: true },
];

function best(accept: string, offer: Offer): Negotiated | undefined {
  if (isRouted(offer) && !isProduced(accept)) return undefined;
  for (const clause of parseAccept(accept)) {
    for (const { mediaType, subtype, streams } of formats) {
      if (!matches(clause, subtype) || !allowsParameters(clause, offer, streams)) continue;
      const view = viewOf(clause, mediaType, offer);
      if (view) return { mediaType, ...view, pretty: clause.parameters.pretty === "1" };
    }
  }
  return undefined;
}

function matches({ type, subtype }: AcceptClause, wanted: string): boolean {
  return type === "*" ? subtype === "*" : type === "application" && (subtype === wanted || subtype === "*");
}

function allowsParameters({ parameters }: AcceptClause, offer: Offer, streams: boolean): boolean {
  const { stream, sv } = parameters;
  if (stream !== undefined && !(streams && stream === "watch")) return false;
  return sv === undefined || (sv === "v1" && (offer === "object" || offer === "collection"));
}

const views: Readonly<Record<string, Negotiated["view"]>> = {
  Table: "table",
  PartialObjectMetadata: "partial",
  PartialObjectMetadataList: "partialList",
};

function viewOf(
  { parameters: { as, g, v } }: AcceptClause,
  mediaType: MediaType,
  offer: Offer,
): Pick<Negotiated, "view" | "viewVersion"> | undefined {
  const isProtobuf = mediaType === "application/vnd.kubernetes.protobuf";
  if (as === undefined && g === undefined && v === undefined)
    return offer === "custom" && isProtobuf ? undefined : { view: "object", viewVersion: "v1" };
  const view = ownMember(views, as ?? "");
  if (offer.endsWith("document") || view === undefined || g !== "meta.k8s.io") return undefined;
  if (view === "table" && isProtobuf) return undefined;
  return v === "v1" || v === "v1beta1" ? { view, viewVersion: v } : undefined;
}

const names = formats.map(({ mediaType }) => mediaType).join(", ");
const streamNames = formats
  .filter(({ streams }) => streams)
  .map(({ mediaType }) => `${mediaType};stream=watch`)
  .join(", ");

/**
 * Reports whether a route produces a type that the client accepts. Upstream's routes for built-in resources check the
 * header before negotiation takes place, but less strictly: they ignore parameters, and support only full patterns.
 *
 * @see go-restful Route.matchesAccept
 */
export function isProduced(
  accept: string,
  types: readonly string[] = formats.map(({ mediaType }) => mediaType),
): boolean {
  return accept.split(",").some((part) => {
    const type = part.split(";", 1)[0]?.trim();
    return type === "*/*" || types.some((produced) => produced === type);
  });
}

/** Returns the format of aggregated discovery if the client accepts it with any preference, otherwise `undefined`. */
export function aggregatedFormat(accept: string | undefined): MediaType | undefined {
  for (const clause of parseAccept(accept ?? "")) {
    const { as, g, v } = clause.parameters;
    if (as !== "APIGroupDiscoveryList" || g !== "apidiscovery.k8s.io" || v !== "v2") continue;
    const format = formats.find(
      ({ subtype, streams }) => matches(clause, subtype) && allowsParameters(clause, "document", streams),
    );
    if (format) return format.mediaType;
  }
  return undefined;
}

/** Returns the 406 error for a route that produces only the given types. */
export const notProduced = (types: string): StatusError =>
  notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types}`, { details: {} });

/** Returns the 406 error for an `Accept` header that contains no available type, or no type that is available in the requested view. */
export const unknownView = (): StatusError => notAcceptable(`only the following media types are accepted: ${names}`);

/** Returns the 406 error for a watch in a format in which events cannot be written. */
export const notStreamed = (): StatusError =>
  notAcceptable(`only the following media types are accepted: ${streamNames}`);

function notAcceptable(message: string, more: { readonly details?: object } = {}): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "NotAcceptable",
    ...more,
    code: 406,
  });
}
