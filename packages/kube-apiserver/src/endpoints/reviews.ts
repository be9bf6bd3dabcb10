import { badRequest, isRecord, type ObjectMeta, type Unstructured } from "@kubewright/apimachinery";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import { invalidToken, type TokenAuthenticator, withGroupOfAuthenticated } from "@kubewright/apiserver/authentication";
import type { Authorizer, RuleResolver } from "@kubewright/apiserver/authorization";
import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import {
  admissionAttributes,
  expectedType,
  negotiated,
  type ResourceScope,
  send,
  shownOptions,
  trackFields,
  writeOptions,
} from "@kubewright/apiserver/endpoints";
import { settleNamespace } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import { asObjectMeta, decodeBody, unknownView } from "@kubewright/codec";
import { reviewAccess, type SelectorReaders, subjectOf } from "./access-review.ts";

export interface ReviewParts {
  readonly authorize: Authorizer;
  readonly authenticateToken: TokenAuthenticator;
  /** Token audiences to use if a review does not specify any. */
  readonly apiAudiences: readonly string[];
  readonly rulesFor: RuleResolver;
  readonly selectors: SelectorReaders;
}

/** Function that returns the status of a review. */
type Review = (object: Unstructured, request: ApiRequest) => Promise<Record<string, unknown>>;

/** Reviews whose metadata upstream fills in as if they were stored. */
const stamped: ReadonlySet<string> = new Set(["selfsubjectreviews"]);
const withoutQuestion: ReadonlySet<string> = new Set(["selfsubjectrulesreviews"]);

/**
 * Returns the handlers for reviews, keyed by the plural of their kind. Reviews are not stored: they exist only as
 * responses to create requests.
 */
export function reviewHandlers(
  parts: ReviewParts,
): ReadonlyMap<string, (request: ApiRequest, scope: ResourceScope) => Promise<void>> {
  const access = (object: Unstructured, user: RequestUser | undefined, onlyNamespace?: string) =>
    reviewAccess(
      {
        spec: specOf(object),
        metadata: object.metadata,
        user,
        ...(onlyNamespace === undefined ? {} : { onlyNamespace }),
      },
      parts.authorize,
      parts.selectors,
    );
  const reviews: Readonly<Record<string, Review>> = {
    selfsubjectreviews: async (_object, request) => ({ userInfo: shownUser(request.user) }),
    tokenreviews: (object) => reviewToken(specOf(object), parts),
    selfsubjectaccessreviews: (object, request) => access(object, request.user),
    subjectaccessreviews: (object) => access(object, subjectOf(specOf(object))),
    localsubjectaccessreviews: (object, { info }) => access(object, subjectOf(specOf(object)), info.namespace),
    selfsubjectrulesreviews: (object, request) => reviewRules(specOf(object), request.user, parts.rulesFor),
  };
  return new Map(Object.entries(reviews).map(([resource, review]) => [resource, handlerOf(review)]));
}

function handlerOf(review: Review) {
  return async (request: ApiRequest, scope: ResourceScope): Promise<void> => {
    const wanted = negotiated(request, scope.resource);
    if (wanted.view === "table") throw unknownView(); // unstored resources have no columns
    const options = writeOptions(request.query, "CreateOptions");
    const body = await request.body();
    const decoded = decodeBody(
      request.header("content-type"),
      body,
      expectedType(scope.resource),
      options.fieldValidation,
    );
    for (const text of decoded.warnings) request.warnings.add(text);
    const { object } = decoded;
    settleNamespace(scope.resource, object, request.info.namespace);
    const tracked = trackFields(request, scope, undefined, object, options);
    const attributes = admissionAttributes(request, scope, {
      operation: "CREATE",
      object: tracked,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...shownOptions(options) },
      dryRun: options.dryRun,
    });
    await scope.admission.admit(attributes);
    const status = await review(tracked, request);
    await scope.admission.validate(attributes);
    const answer: Unstructured = { ...tracked, metadata: metadataOf(tracked, request, scope), status };
    if (withoutQuestion.has(scope.resource.resource)) answer.spec = {};
    send(request, 201, answer, wanted);
  };
}

function metadataOf({ metadata }: Unstructured, { info }: ApiRequest, { resource, clock }: ResourceScope): ObjectMeta {
  if (withoutQuestion.has(resource.resource)) return asObjectMeta({});
  if (stamped.has(resource.resource)) return asObjectMeta({ creationTimestamp: rfc3339(clock.now()) });
  return { ...metadata, ...(resource.scope === "Namespaced" ? { namespace: info.namespace } : {}) };
}

const specOf = ({ spec }: Unstructured): Record<string, unknown> => (isRecord(spec) ? spec : {});

const shownUser = ({ name, uid, groups, extra }: RequestUser): Record<string, unknown> => ({
  username: name,
  ...(uid ? { uid } : {}),
  ...(groups.length > 0 ? { groups } : {}),
  ...(extra ? { extra } : {}),
});

async function reviewToken(
  spec: Record<string, unknown>,
  { authenticateToken, apiAudiences }: ReviewParts,
): Promise<Record<string, unknown>> {
  const { token } = spec;
  if (typeof token !== "string" || token === "")
    throw badRequest("token is required for TokenReview in authentication");
  const asked = Array.isArray(spec.audiences) ? spec.audiences.filter((one) => typeof one === "string") : [];
  const wanted = asked.length > 0 ? asked : apiAudiences;
  try {
    const identity = await authenticateToken(token, wanted);
    if (!identity) throw invalidToken();
    const { user, audiences } = identity;
    return {
      authenticated: true,
      user: shownUser(withGroupOfAuthenticated(user)),
      ...(audiences ? { audiences } : {}),
    };
  } catch (error) {
    return { user: {}, error: invalidToken(error).message };
  }
}

async function reviewRules(
  spec: Record<string, unknown>,
  user: RequestUser,
  rulesFor: RuleResolver,
): Promise<Record<string, unknown>> {
  const { namespace } = spec;
  if (typeof namespace !== "string" || namespace === "") throw badRequest("no namespace on request");
  const { rules, incomplete, error } = await rulesFor(user, namespace);
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
    ...(error ? { evaluationError: error } : {}),
  };
}
