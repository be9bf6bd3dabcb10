import {
  badRequest,
  type FieldError,
  fieldError,
  isRecord,
  type ObjectMeta,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import type { TokenAuthenticator } from "../authentication/bearer-token.ts";
import type { AuthorizationAttributes, Authorizer } from "../authorization/authorizer.ts";
import type { RuleResolver } from "../authorization/rules.ts";
import { decodeBody } from "../codec/decode.ts";
import { asObjectMeta } from "../codec/object-meta.ts";
import type { UserInfo } from "../registry/strategy.ts";
import type { ApiRequest } from "./api-request.ts";
import { expectedType } from "./create-handler.ts";
import { trackFields } from "./managed-fields.ts";
import { writeOptions } from "./request-options.ts";
import type { ResourceScope } from "./resource-scope.ts";
import { negotiated, send } from "./respond.ts";

export interface ReviewParts {
  readonly authorize: Authorizer;
  readonly authenticateToken: TokenAuthenticator;
  readonly rulesFor: RuleResolver;
}

/** Fills in the status of a review. */
type Review = (spec: Record<string, unknown>, request: ApiRequest) => Promise<Record<string, unknown>>;

/** Upstream fills in the metadata of these as if they were stored, and leaves what was asked out of those. */
const stamped: ReadonlySet<string> = new Set(["selfsubjectreviews"]);
const withoutQuestion: ReadonlySet<string> = new Set(["selfsubjectrulesreviews"]);

/** Handlers of the resources that are created only to be answered, by plural. Nothing is stored. */
export function reviewHandlers(
  parts: ReviewParts,
): ReadonlyMap<string, (request: ApiRequest, scope: ResourceScope) => Promise<void>> {
  const reviews: Readonly<Record<string, Review>> = {
    selfsubjectreviews: async (_spec, request) => ({ userInfo: shownUser(request.user) }),
    tokenreviews: (spec) => reviewToken(spec, parts.authenticateToken),
    selfsubjectaccessreviews: (spec, request) => reviewAccess(spec, request.user, parts.authorize),
    subjectaccessreviews: (spec) => reviewAccess(spec, subjectOf(spec), parts.authorize),
    localsubjectaccessreviews: (spec, { info }) => reviewAccess(spec, subjectOf(spec), parts.authorize, info.namespace),
    selfsubjectrulesreviews: (spec, request) => reviewRules(spec, request.user, parts.rulesFor),
  };
  return new Map(Object.entries(reviews).map(([resource, review]) => [resource, handlerOf(review)]));
}

function handlerOf(review: Review) {
  return async (request: ApiRequest, scope: ResourceScope): Promise<void> => {
    const wanted = negotiated(request, scope.resource);
    const options = writeOptions(request.query, "CreateOptions");
    const body = await request.body();
    const { object } = decodeBody(
      request.header("content-type"),
      body,
      expectedType(scope.resource),
      options.fieldValidation,
    );
    const tracked = trackFields(request, scope, undefined, object, options);
    const spec = isRecord(object.spec) ? object.spec : {};
    const status = await review(spec, request);
    const answer: Unstructured = { ...tracked, metadata: metadataOf(tracked, request, scope), status };
    if (withoutQuestion.has(scope.resource.resource)) answer.spec = {};
    send(request, 201, answer, wanted);
  };
}

function metadataOf({ metadata }: Unstructured, { info }: ApiRequest, { resource, clock }: ResourceScope): ObjectMeta {
  if (withoutQuestion.has(resource.resource)) return asObjectMeta({});
  return {
    ...metadata,
    ...(resource.scope === "Namespaced" ? { namespace: info.namespace } : {}),
    ...(stamped.has(resource.resource) ? { creationTimestamp: rfc3339(clock.now()) } : {}),
  };
}

const shownUser = ({ name, uid, groups, extra }: UserInfo): Record<string, unknown> => ({
  username: name,
  ...(uid ? { uid } : {}),
  ...(groups.length > 0 ? { groups } : {}),
  ...(extra ? { extra } : {}),
});

async function reviewToken(
  spec: Record<string, unknown>,
  authenticate: TokenAuthenticator,
): Promise<Record<string, unknown>> {
  const { token } = spec;
  if (typeof token !== "string" || token === "")
    throw badRequest("token is required for TokenReview in authentication");
  const user = await authenticate(token);
  if (!user) return { user: {}, error: "invalid bearer token" };
  const groups = user.groups.includes("system:authenticated") ? user.groups : [...user.groups, "system:authenticated"];
  return { authenticated: true, user: shownUser({ ...user, groups }) };
}

async function reviewAccess(
  spec: Record<string, unknown>,
  user: UserInfo | undefined,
  authorize: Authorizer,
  onlyNamespace?: string,
): Promise<Record<string, unknown>> {
  const errors = accessErrors(spec, user);
  const namespace = isRecord(spec.resourceAttributes) ? (spec.resourceAttributes.namespace ?? "") : onlyNamespace;
  if (onlyNamespace !== undefined && namespace !== onlyNamespace)
    errors.push(fieldError.invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace"));
  if (errors.length > 0 || !user) throw toAggregateInvalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
  const { decision, reason } = await authorize({ ...attributesOf(spec), user });
  return {
    allowed: decision === "allow",
    ...(decision === "deny" ? { denied: true } : {}),
    ...(reason ? { reason } : {}),
  };
}

function accessErrors(spec: Record<string, unknown>, user: UserInfo | undefined): FieldError[] {
  const both = isRecord(spec.resourceAttributes) && isRecord(spec.nonResourceAttributes);
  const none = !isRecord(spec.resourceAttributes) && !isRecord(spec.nonResourceAttributes);
  const errors: FieldError[] = [];
  if (both)
    errors.push(
      fieldError.invalid(
        "spec.nonResourceAttributes",
        goMembers(spec.nonResourceAttributes),
        "cannot be specified in combination with resourceAttributes",
      ),
    );
  if (none)
    errors.push(
      fieldError.invalid(
        "spec.resourceAttributes",
        null,
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    );
  if (!user) errors.push(fieldError.invalid("spec.user", "", "at least one of user or group must be specified"));
  return errors;
}

/** Upstream shows its internal type, whose members have no names of their own in JSON. */
function goMembers(value: unknown): unknown {
  const { path = "", verb = "" } = isRecord(value) ? value : {};
  return { Path: path, Verb: verb };
}

function attributesOf(spec: Record<string, unknown>): Omit<AuthorizationAttributes, "user"> {
  const isResourceRequest = isRecord(spec.resourceAttributes);
  const given = isRecord(spec.resourceAttributes)
    ? spec.resourceAttributes
    : isRecord(spec.nonResourceAttributes)
      ? spec.nonResourceAttributes
      : {};
  const text = (name: string): string => (typeof given[name] === "string" ? given[name] : "");
  return {
    isResourceRequest,
    verb: text("verb"),
    path: text("path"),
    group: text("group"),
    version: text("version"),
    resource: text("resource"),
    subresource: text("subresource"),
    namespace: text("namespace"),
    name: text("name"),
  };
}

function subjectOf(spec: Record<string, unknown>): UserInfo | undefined {
  const name = typeof spec.user === "string" ? spec.user : "";
  const groups = Array.isArray(spec.groups) ? spec.groups.filter((group) => typeof group === "string") : [];
  if (name === "" && groups.length === 0) return undefined;
  return { name, groups, ...(typeof spec.uid === "string" ? { uid: spec.uid } : {}) };
}

async function reviewRules(
  spec: Record<string, unknown>,
  user: UserInfo,
  rulesFor: RuleResolver,
): Promise<Record<string, unknown>> {
  const { namespace } = spec;
  if (typeof namespace !== "string" || namespace === "") throw badRequest("no namespace on request");
  const { rules, incomplete } = await rulesFor(user, namespace);
  return {
    resourceRules: rules
      .filter(({ resources }) => resources)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames?.length ? { resourceNames } : {}),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete,
  };
}
