import {
  badRequest,
  conflict,
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  isRecord,
  notFound,
  ownMember,
  quote,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { ObjectLookup, ServiceAccountTokenSigner, TokenReference } from "@kubewright/apiserver/authentication";
import type { ApiRequest, SubresourceHandler } from "@kubewright/apiserver/endpoints";
import {
  admissionAttributes,
  checkSegmentName,
  fieldManagerOptions,
  namespaceOf,
  negotiated,
  type ResourceScope,
  send,
  shownOptions,
  writeOptions,
} from "@kubewright/apiserver/endpoints";
import { createFieldManager, withPrintedStructs } from "@kubewright/apiserver/fieldmanager";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import { decodeBody } from "@kubewright/codec";
import { builtinSchema } from "@kubewright/codec/schema";

export interface TokenRequestParts {
  readonly signer: ServiceAccountTokenSigner;
  readonly lookup: ObjectLookup;
  /** Audiences of a token if the request does not specify any. */
  readonly apiAudiences: readonly string[];
  /** Maximum lifetime of tokens, in seconds; `Infinity` means no limit. */
  readonly maxExpirationSeconds: number;
  /** True to extend the lifetime of a pod's token to a year if the request contains the lifetime that kubelets usually request. */
  readonly extendsExpiration: boolean;
}

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" } as const;
const apiVersion = "authentication.k8s.io/v1";
const defaultSeconds = 3_600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;
/** Lifetime that kubelets request for pods: one hour and seven seconds. The odd value identifies such requests. */
const kubeletSeconds = 3_607;
const yearSeconds = 365 * 24 * 3_600;

/** Handles `serviceaccounts/token`: issues a token. @see kubernetes pkg/registry/core/serviceaccount/storage TokenREST */
export function tokenRequestSubresource(parts: TokenRequestParts): SubresourceHandler {
  const schema = builtinSchema(kind);
  if (!schema) throw new Error("the type TokenRequest is not in the type table");
  const fieldManager = createFieldManager({ gvk: kind, schema });
  return async (request, scope) => {
    const wanted = negotiated(request, scope.resource);
    const options = writeOptions(request.query, "CreateOptions");
    const body = await request.body();
    const expected = { gvk: kind, schema, custom: false };
    const decoded = decodeBody(request.header("content-type"), body, expected, options.fieldValidation);
    for (const text of decoded.warnings) request.warnings.add(text);
    const namespace = namespaceOf(request, scope);
    const { metadata: given } = decoded.object;
    if (given.namespace && given.namespace !== namespace)
      throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
    applyDefaults(decoded.object);
    const object = fieldManager.update(undefined, decoded.object, fieldManagerOptions(request, scope, options));
    const admitted = {
      operation: "CREATE",
      kind,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...shownOptions(options) },
      dryRun: options.dryRun,
    } as const;
    await scope.admission.admit(admissionAttributes(request, scope, { ...admitted, object }));
    const account = await settle(request, scope, object, parts);
    const final = structuredClone(object);
    await scope.admission.validate(admissionAttributes(request, scope, { ...admitted, object: final }));
    const status = await tokenFor(account, object, request, scope, parts);
    const answer = { ...object, kind: kind.kind, apiVersion, status };
    send(request, 201, withPrintedStructs(answer, schema), wanted);
  };
}

function applyDefaults(object: Unstructured): void {
  const spec = isRecord(object.spec) ? object.spec : {};
  object.spec = { ...spec, expirationSeconds: spec.expirationSeconds ?? defaultSeconds };
}

/** Fills in values from the ServiceAccount, and validates the token request. */
async function settle(
  request: ApiRequest,
  scope: ResourceScope,
  object: Unstructured,
  { apiAudiences }: TokenRequestParts,
): Promise<ReadonlyObject> {
  const { name } = request.info;
  const { metadata } = object;
  if (metadata.name && metadata.name !== name)
    throw toAggregateInvalid(kind, name, [
      fieldError.invalid("metadata.name", metadata.name, "must match the service account name if specified"),
    ]);
  const namespace = namespaceOf(request, scope);
  const account = await scope.store.get(namespace, name);
  const { uid = "" } = account.metadata;
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      { group: kind.group, resource: kind.kind },
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  const spec: Record<string, unknown> = isRecord(object.spec) ? object.spec : {};
  if (!Array.isArray(spec.audiences) || spec.audiences.length === 0) spec.audiences = [...apiAudiences];
  Object.assign(metadata, { name, namespace, uid, creationTimestamp: rfc3339(scope.clock.now()) });
  delete object.status;
  const errors = [...expirationErrors(spec.expirationSeconds), ...attestationErrors(spec)];
  if (errors.length > 0) throw toAggregateInvalid(kind, "", errors);
  return account;
}

function expirationErrors(seconds: unknown): FieldError[] {
  const path = "spec.expirationSeconds";
  if (typeof seconds !== "number" || seconds < minSeconds)
    return [fieldError.invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  return seconds > maxSeconds
    ? [fieldError.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]
    : [];
}

const admissionGroup = "admissionregistration.k8s.io";
const attestationKey = "admissionReviewAPIGroups";

/** Reports whether a token becomes bound to the configuration of a webhook. */
const isForWebhook = ({ boundObjectRef }: Readonly<Record<string, unknown>>): boolean =>
  isRecord(boundObjectRef) &&
  boundObjectRef.apiVersion === `${admissionGroup}/v1` &&
  webhookKinds.has(String(boundObjectRef.kind));

const webhookKinds: ReadonlySet<string> = new Set(["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]);

/** @see kubernetes pkg/apis/authentication/validation ValidateTokenRequest */
function attestationErrors(spec: Readonly<Record<string, unknown>>): FieldError[] {
  const attestations = isRecord(spec.attestations) ? spec.attestations : {};
  const at = fieldPath("spec", "attestations");
  const given = Object.entries(attestations);
  if (!isForWebhook(spec))
    return given.length === 0
      ? []
      : [
          fieldError.invalid(
            at,
            attestations,
            "attestations may only be specified with a webhook bound object reference",
          ),
        ];
  const { audiences } = spec;
  const isOne = Array.isArray(audiences) && audiences.length === 1;
  const audience = fieldPath("spec", "audiences");
  const errors = isOne
    ? []
    : [fieldError.invalid(audience, audiences, "must be length 1 when bound to a webhook config")];
  if (given.length !== 1) {
    const rule = "webhook bound requests require exactly one admissionReviewAPIGroups attestation";
    return [...errors, fieldError.invalid(at, spec.attestations ?? null, rule)];
  }
  return [...errors, ...given.flatMap(([key, values]) => groupErrors(key, values, at.key(key)))];
}

function groupErrors(key: string, values: unknown, at: FieldPath): FieldError[] {
  if (key !== attestationKey) return [fieldError.notSupported(at, key, [attestationKey])];
  if (!Array.isArray(values) || values.length !== 1)
    return [fieldError.invalid(at, values, "must specify a single value")];
  const group = String(values[0]);
  if (group === "") return [fieldError.invalid(at.index(0), group, "may not be an empty string")];
  if (group === "*") return [];
  return isDns1123Subdomain(group).map((text) =>
    fieldError.invalid(at.index(0), group, `must specify a valid API Group: ${text}`),
  );
}

async function tokenFor(
  account: ReadonlyObject,
  object: Unstructured,
  request: ApiRequest,
  scope: ResourceScope,
  parts: TokenRequestParts,
): Promise<Record<string, unknown>> {
  const spec: Record<string, unknown> = isRecord(object.spec) ? object.spec : {};
  const { name, namespace = "", uid = "" } = account.metadata;
  const bound = isRecord(spec.boundObjectRef) ? await boundObjects(spec.boundObjectRef, account, parts.lookup) : {};
  const { maxExpirationSeconds } = parts;
  let seconds = Number(spec.expirationSeconds);
  if (seconds > maxExpirationSeconds) {
    request.warnings.add(`requested expiration of ${seconds} seconds shortened to ${maxExpirationSeconds} seconds`);
    seconds = maxExpirationSeconds;
    spec.expirationSeconds = seconds;
  }
  const nowMs = scope.clock.now();
  const audiences = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  const isExtended =
    parts.extendsExpiration &&
    bound.pod !== undefined &&
    seconds === kubeletSeconds &&
    audiences.every((audience) => parts.apiAudiences.includes(audience));
  const { token, id } = await parts.signer.boundToken(
    {
      namespace,
      ...bound,
      serviceaccount: { name, uid },
      ...(isExtended ? { warnafter: Math.floor(nowMs / 1_000) + seconds } : {}),
    },
    audiences,
    { nowMs, expirationSeconds: isExtended ? yearSeconds : seconds },
  );
  request.annotate("authentication.kubernetes.io/issued-credential-id", `JTI=${id}`);
  return { token, expirationTimestamp: rfc3339(nowMs + seconds * 1_000) };
}

interface BoundObjects {
  readonly pod?: TokenReference;
  readonly node?: TokenReference;
  readonly secret?: TokenReference;
}

/**
 * Returns the objects to which the token will be bound.
 *
 * @throws {StatusError} 400, 404 or 409 if the token cannot be bound to the object
 */
async function boundObjects(
  reference: Record<string, unknown>,
  { metadata }: ReadonlyObject,
  lookup: ObjectLookup,
): Promise<BoundObjects> {
  const text = (member: string): string => (typeof reference[member] === "string" ? reference[member] : "");
  const [group, version] = groupVersionOf(text("apiVersion"));
  const type = `${group}/${version}, Kind=${text("kind")}`;
  if (isForWebhook({ boundObjectRef: reference })) {
    const gate = "APIServerWebhookAuthenticationToken";
    throw badRequest(`cannot bind token to object of type ${type} (feature gate ${gate} is disabled)`);
  }
  const resource = group === "" ? ownMember(boundResources, text("kind")) : undefined;
  if (!resource) throw badRequest(`cannot bind token to object of type ${type}`);
  const name = text("name");
  if (name === "") throw badRequest("Name parameter required.");
  checkSegmentName(name);
  const found = await lookup("", resource, resource === "nodes" ? "" : (metadata.namespace ?? ""), name);
  if (!found) throw notFound({ group: "", resource }, name);
  const spec: Readonly<Record<string, unknown>> = isRecord(found.spec) ? found.spec : {};
  if (resource === "pods" && spec.serviceAccountName !== metadata.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${quote(metadata.name)} to pod running with different serviceaccount name.`,
    );
  const wantedUid = text("uid");
  if (wantedUid !== "" && wantedUid !== found.metadata.uid)
    throw conflict(
      { group, resource: text("kind") },
      name,
      `the UID in the bound object reference (${wantedUid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  const bound = { name, uid: found.metadata.uid ?? "" };
  if (resource === "secrets") return { secret: bound };
  if (resource === "nodes") return { node: bound };
  const { nodeName } = spec;
  if (typeof nodeName !== "string" || nodeName === "") return { pod: bound };
  const uid = (await lookup("", "nodes", "", nodeName))?.metadata.uid;
  return { pod: bound, node: { name: nodeName, ...(uid ? { uid } : {}) } };
}

const boundResources: Readonly<Record<string, "pods" | "nodes" | "secrets">> = {
  Pod: "pods",
  Node: "nodes",
  Secret: "secrets",
};

function groupVersionOf(text: string): [group: string, version: string] {
  const slash = text.indexOf("/");
  return slash < 0 ? ["", text] : [text.slice(0, slash), text.slice(slash + 1)];
}
