import { badRequest, type FieldError, fieldError, quote } from "@kubewright/apimachinery";
import { unexplained } from "@kubewright/codec";
import type { ResourceVersionMatch } from "@kubewright/storage";
import { checkSelectors, parseSelection, type Selection } from "../../registry/predicate.ts";
import type { ServedResource } from "../../registry/resource.ts";
import { parseShardSelector } from "../../registry/shard-selector.ts";
import { isTrue } from "./request-info.ts";
import { integerParameter, invalidOptions } from "./request-options.ts";

/** Validated parameters of a list, watch or deletecollection request. */
export interface ListRequestOptions {
  readonly selection: Selection;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** The resource to list, and the optional features of its server. */
export interface ListedScope {
  readonly resource: ServedResource;
  /** True if the server reads `shardSelector`; otherwise, it ignores this parameter. */
  readonly shardedListAndWatch?: boolean | undefined;
}

/**
 * Reads the parameters of a list or watch.
 *
 * @throws {StatusError} 400 for invalid values, 422 for conflicting ones
 *
 * @see apimachinery apis/meta/internalversion/validation ValidateListOptions
 */
export function listOptions(
  query: URLSearchParams,
  { resource, shardedListAndWatch = false }: ListedScope,
  isWatch: boolean,
): ListRequestOptions {
  const match = query.get("resourceVersionMatch") ?? "";
  const initial = query.get("sendInitialEvents");
  const sendInitialEvents = initial === null || initial === "" ? undefined : isTrue(initial);
  const resourceVersion = query.get("resourceVersion") ?? "";
  const token = query.get("continue") ?? "";
  // as in upstream, parse numbers first, then selectors, and then check for conflicts
  const timeoutSeconds = integerParameter(query, "timeoutSeconds");
  const limit = integerParameter(query, "limit") ?? 0;
  const [labels, fields] = [query.get("labelSelector") ?? "", query.get("fieldSelector") ?? ""];
  const parts = { match, resourceVersion, sendInitialEvents, token };
  const errors = isWatch ? watchErrors(parts) : listErrors(parts);
  if (errors.length > 0) {
    checkSelectors(labels, fields);
    throw invalidOptions("ListOptions", errors);
  }
  const shardSelector = shardedListAndWatch ? (query.get("shardSelector") ?? "") : "";
  const selection = {
    ...parseSelection(labels, fields, resource),
    ...(shardSelector === "" ? {} : { shards: parseShardSelector(shardSelector) }),
  };
  if (!/^\d*$/.test(resourceVersion)) throw badVersion(resourceVersion, isWatch);
  if (!isWatch && token !== "" && resourceVersion !== "" && resourceVersion !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  return {
    selection,
    resourceVersion: token !== "" ? "" : resourceVersion,
    resourceVersionMatch: match as ResourceVersionMatch,
    limit: isWatch ? 0 : honouredLimit(limit, resourceVersion, token),
    continue: token,
    timeoutSeconds,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: sendInitialEvents ?? (isWatch && isAnyVersion(resourceVersion) ? true : undefined),
  };
}

/**
 * Reports whether a watch may start at any version (the requested version is "0" or absent). Such a watch begins with the current
 * state, and a bookmark marks the end of this state if bookmarks are allowed.
 */
const isAnyVersion = (resourceVersion: string): boolean => resourceVersion === "" || resourceVersion === "0";

interface RawListOptions {
  readonly match: string;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly token: string;
}

/** Returns the limit that applies to a list. Upstream serves a list at version "0" from its cache, which ignores the limit. */
function honouredLimit(limit: number, resourceVersion: string, token: string): number {
  return resourceVersion === "0" && token === "" ? 0 : limit;
}

/** Returns the error for an invalid version. For a watch or get, this is a 500 without a reason, as in upstream. */
export function badVersion(text: string, isWatch: boolean): Error {
  const message = `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: invalid syntax`;
  if (!isWatch) return badRequest(`invalid resource version: ${message}`);
  return unexplained(message);
}

function listErrors({ match, resourceVersion, sendInitialEvents, token }: RawListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined)
    errors.push(fieldError.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  if (match === "") return errors;
  const at = "resourceVersionMatch";
  if (resourceVersion === "")
    errors.push(fieldError.forbidden(at, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  if (token !== "")
    errors.push(fieldError.forbidden(at, "resourceVersionMatch is forbidden when continue is provided"));
  if (match !== "Exact" && match !== "NotOlderThan")
    errors.push(fieldError.notSupported(at, match, ["Exact", "NotOlderThan", ""]));
  if (match === "Exact" && resourceVersion === "0")
    errors.push(fieldError.forbidden(at, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return errors;
}

function watchErrors({ match, sendInitialEvents, token }: RawListOptions): FieldError[] {
  const at = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(fieldError.forbidden(at, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  if (match === "") return errors;
  if (sendInitialEvents === undefined)
    errors.push(
      fieldError.forbidden(at, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    );
  if (match !== "NotOlderThan") errors.push(fieldError.notSupported(at, match, ["NotOlderThan"]));
  if (token !== "")
    errors.push(fieldError.forbidden(at, "resourceVersionMatch is forbidden when continue is provided"));
  return errors;
}
