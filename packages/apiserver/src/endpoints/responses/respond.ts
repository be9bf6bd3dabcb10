import { apiVersionOf, badRequest, isRecord, StatusError, tooManyRequests } from "@kubewright/apimachinery";
import { encode, inEnvelope, type Negotiated, negotiate, wantsPretty } from "@kubewright/codec";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";
import { inOnePiece, sendCompressible, sendInChunks } from "./compressible.ts";
import { ListBody } from "./list-body.ts";
import type { ListResponse } from "./list-response.ts";
import { objectBody } from "./object-json.ts";
import { objectMessage } from "./object-protobuf.ts";
import { ProtobufListBody } from "./protobuf-list-body.ts";
import { type IncludeObject, partialObject, table, tableRow } from "./views.ts";

/**
 * Returns the media type and view in which to respond to a request.
 *
 * @throws {StatusError} 406 if the client accepts none of the media types that the server supports
 */
export function negotiated(request: ApiRequest, resource: ServedResource): Negotiated {
  const { verb } = request.info;
  const builtin = verb === "list" || verb === "watch" ? "collection" : "object";
  return negotiate(request.header("accept"), resource.origin === "custom" ? "custom" : builtin);
}

/** Sends one object in the view that the client requested. */
export function respondObject(request: ApiRequest, scope: ResourceScope, code: number, object: ReadonlyObject): void {
  const wanted = negotiated(request, scope.resource);
  if (wanted.view === "object" && wanted.mediaType === "application/json" && !isPretty(request, wanted))
    sendCompressible(request, code, objectBody(object), wanted.mediaType);
  else if (wanted.view === "object" && wanted.mediaType === "application/vnd.kubernetes.protobuf")
    sendCompressible(request, code, envelopeOf(object, scope.resource), wanted.mediaType);
  else send(request, code, viewOfObject(request, scope, wanted, object), wanted);
}

/** Encodes a built-in object as protobuf, including the envelope. */
function envelopeOf(object: ReadonlyObject, resource: ServedResource): Buffer {
  return inEnvelope(apiVersionOf(resource), resource.kind, objectMessage(object, resource));
}

/** Sends a list in the view that the client requested. */
export async function respondList(request: ApiRequest, scope: ResourceScope, result: ListResponse): Promise<void> {
  const { resource } = scope;
  const wanted = negotiated(request, resource);
  if (wanted.view === "object" && wanted.mediaType === "application/json" && !isPretty(request, wanted))
    await sendInChunks(request, new ListBody(resource, result), wanted.mediaType);
  else if (wanted.view === "object" && wanted.mediaType === "application/vnd.kubernetes.protobuf")
    await sendInChunks(request, new ProtobufListBody(resource, result), wanted.mediaType);
  else await sendWholeList(request, scope, wanted, result);
}

/** Sends a list as a whole, for views and media types that cannot be assembled in chunks. */
async function sendWholeList(
  request: ApiRequest,
  scope: ResourceScope,
  wanted: Negotiated,
  result: ListResponse,
): Promise<void> {
  const { response, unread } = request;
  if (!unread.hasRoom && request.info.verb === "list")
    throw tooManyRequests("Too many requests, please try again later.", 1);
  const list = viewOfList(request, scope, wanted, result);
  const body = inOnePiece(encode(list, wanted.mediaType, isPretty(request, wanted)));
  unread.hold(response, body.length);
  await sendInChunks(request, body, wanted.mediaType);
}

/**
 * Sends a document in the negotiated media type. If the client requested only metadata, objects are reduced to their
 * metadata.
 */
export function send(request: ApiRequest, code: number, value: unknown, wanted: Negotiated): void {
  const { mediaType, view, viewVersion } = wanted;
  const shown = view === "partial" && isObject(value) ? partialObject(value, viewVersion) : value;
  sendCompressible(request, code, encode(shown, mediaType, isPretty(request, wanted)), mediaType);
}

/** Reports whether a value is an object with metadata. Values without metadata (such as a Status) are the same in every view. */
const isObject = (value: unknown): value is ReadonlyObject =>
  isRecord(value) && isRecord(value.metadata) && value.kind !== "Status" && value.kind !== "PartialObjectMetadata";

/** Returns the value of the query parameter `includeObject`. @throws {StatusError} 400 for an unknown value */
export function includeObject(request: ApiRequest): IncludeObject {
  const asked = request.query.get("includeObject") ?? "";
  if (asked === "") return "Metadata";
  if (asked === "Metadata" || asked === "Object" || asked === "None") return asked;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: "${asked}": must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const isPretty = (request: ApiRequest, { pretty }: Pick<Negotiated, "pretty">): boolean =>
  pretty || wantsPretty(request.query.get("pretty"), request.header("user-agent"));

function viewOfObject(
  request: ApiRequest,
  scope: ResourceScope,
  { view, viewVersion }: Negotiated,
  object: ReadonlyObject,
): unknown {
  if (view === "object") return object;
  if (view === "partialList")
    throw unfitView(
      `PartialObjectMetadataList, but the requested object is not a list (${goType(scope.resource, "")})`,
    );
  if (view === "partial") return partialObject(object, viewVersion);
  const row = tableRow(scope.resource, object, includeObject(request), viewVersion, scope.clock.now());
  const { resourceVersion } = object.metadata;
  return table(scope.resource, {
    version: viewVersion,
    metadata: resourceVersion ? { resourceVersion } : {},
    rows: [row],
    columns: true,
  });
}

function viewOfList(
  request: ApiRequest,
  scope: ResourceScope,
  { view, viewVersion }: Negotiated,
  { items, metadata: all }: ListResponse,
): unknown {
  const { resource, clock } = scope;
  const metadata = { ...all };
  if (view !== "object") delete metadata.shardInfo; // as in upstream
  if (view === "table") {
    const include = includeObject(request);
    const rows = items.map((item) => tableRow(resource, item, include, viewVersion, clock.now()));
    return table(resource, { version: viewVersion, metadata, rows, columns: true });
  }
  if (view === "partial")
    throw unfitView(`PartialObjectMetadata, but the requested object is a list (${goType(resource, "List")})`);
  if (view !== "object") {
    const apiVersion = `meta.k8s.io/${viewVersion}`;
    return {
      kind: "PartialObjectMetadataList",
      apiVersion,
      metadata,
      items: items.map((item) => partialObject(item, viewVersion)),
    };
  }
  return JSON.parse(new ListBody(resource, { items, metadata }).whole().toString());
}

/**
 * Returns a 406 error for a view that does not fit: a single object was requested in the view of a list, or a list in the view of a single
 * object.
 *
 * @see apiserver pkg/endpoints/handlers transformResponseObject
 */
function unfitView(what: string): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `you requested ${what}`,
    reason: "NotAcceptable",
    code: 406,
  });
}

/** Returns the name of upstream's Go type. The package of a group's internal types has the name of the group's first part. */
function goType({ origin, group, kind }: ServedResource, suffix: string): string {
  if (origin === "custom") return `*unstructured.Unstructured${suffix}`;
  return `*${group === "" ? "core" : group.split(".")[0]}.${kind}${suffix}`;
}
