import { parseJson } from "@kubewright/apimachinery";
import { rfc3339Micro } from "@kubewright/clock";
import { decodeDocument, isProtobuf, kindOfDocument } from "@kubewright/codec";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import type { AuditDecision, AuditStage } from "./policy.ts";

/** Returns the audit event for a request, as a line for the log. @see apiserver pkg/apis/audit/v1 Event */
export function auditEvent(request: ApiRequest, stage: AuditStage, decision: AuditDecision, nowMs: number): unknown {
  const { info, incoming } = request;
  const who = request.authenticated ?? request.user;
  const hasResponse = stage !== "RequestReceived";
  const complete = stage === "ResponseComplete" || stage === "Panic";
  const answer = complete ? responseOf(request, decision) : undefined;
  const withRequest = hasResponse && (decision.level === "Request" || decision.level === "RequestResponse");
  const annotations = Object.fromEntries([...request.annotations].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: decision.level,
    auditID: request.auditId,
    stage,
    requestURI: incoming.url ?? "/",
    verb: info.verb,
    user: userOf(who),
    ...(request.authenticated && request.authenticated !== request.user
      ? { impersonatedUser: userOf(request.user) }
      : {}),
    sourceIPs: sourceAddresses(request),
    ...(request.header("user-agent") ? { userAgent: request.header("user-agent") } : {}),
    ...(info.isResourceRequest ? { objectRef: objectRef(request) } : {}),
    ...(hasResponse ? { responseStatus: responseStatus(request, answer) } : {}),
    ...(withRequest && request.requestObject !== undefined
      ? { requestObject: shown(request.requestObject, decision) }
      : {}),
    ...(decision.level === "RequestResponse" && answer !== undefined
      ? { responseObject: shown(answer, decision) }
      : {}),
    requestReceivedTimestamp: rfc3339Micro(request.receivedMs),
    stageTimestamp: rfc3339Micro(nowMs),
    ...(hasResponse && request.annotations.size > 0 ? { annotations } : {}),
  };
}

function userOf({ name, uid, groups, extra }: RequestUser): unknown {
  return { username: name, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
}

function sourceAddresses(request: ApiRequest): string[] {
  const forwarded = (request.header("x-forwarded-for") ?? "").split(",").map((address) => address.trim());
  const peer = request.incoming.socket?.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  return [...new Set([...forwarded, peer])].filter((address) => address !== "");
}

/** Returns the object reference of an event. The object's identity in the URL overrides the identity in the body. */
function objectRef({ info, named }: ApiRequest): unknown {
  const { uid, resourceVersion } = named;
  const name = info.name || named.name;
  return {
    resource: info.resource,
    ...(info.namespace ? { namespace: info.namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(info.group ? { apiGroup: info.group } : {}),
    apiVersion: info.version,
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(info.subresource ? { subresource: info.subresource } : {}),
  };
}

function responseStatus({ response }: ApiRequest, answer: unknown): unknown {
  const code = response.statusCode;
  const status = answer as { kind?: string; apiVersion?: string } | undefined;
  if (status?.kind !== "Status" || status.apiVersion !== "v1") return { metadata: {}, code };
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = status;
  return { ...rest, code };
}

/** Returns the object in a JSON or protobuf response. Below the `RequestResponse` level, only a Status is parsed. */
function responseOf({ responseBody: answer }: ApiRequest, { level }: AuditDecision): unknown {
  if (answer === undefined) return undefined;
  if (typeof answer !== "string" && isProtobuf(answer))
    return level === "RequestResponse" || kindOfDocument(answer) === "Status" ? decodeDocument(answer) : undefined;
  const begin = level === "RequestResponse" ? "{" : '{"kind":"Status"';
  const isMeant = typeof answer === "string" ? answer.startsWith(begin) : answer.indexOf(begin) === 0;
  return isMeant ? parseJson(answer.toString()) : undefined;
}

function shown(value: unknown, { omitManagedFields }: AuditDecision): unknown {
  if (!omitManagedFields) return value;
  const without = (object: unknown): unknown => {
    const { metadata, ...rest } = object as { metadata?: { managedFields?: unknown } };
    if (!metadata) return object;
    const { managedFields: _managedFields, ...kept } = metadata;
    return { ...rest, metadata: kept };
  };
  const { items } = value as { items?: unknown };
  return Array.isArray(items) ? { ...(value as object), items: items.map(without) } : without(value);
}
