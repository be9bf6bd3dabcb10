import { expect, it } from "vitest";
import * as admission from "./admission/index.ts";
import * as audit from "./audit/index.ts";
import * as authentication from "./authentication/index.ts";
import * as authorization from "./authorization/index.ts";
import * as endpoints from "./endpoints/index.ts";
import * as fieldmanager from "./fieldmanager/index.ts";
import * as http from "./http/index.ts";
import * as metrics from "./metrics/index.ts";
import * as registry from "./registry/index.ts";
import * as server from "./server/index.ts";
import * as webhook from "./webhook/index.ts";

it("exports these names under ./admission", () => {
  expect(Object.keys(admission).sort()).toEqual([
    "AdmissionChain",
    "ExpressionScope",
    "Reinvocation",
    "WatchedObjects",
    "admissionForbidden",
    "aggregateText",
    "expressionWarnings",
    "isReview",
    "namespaceLifecycle",
    "patchTypes",
  ]);
});

it("exports these names under ./audit", () => {
  expect(Object.keys(audit).sort()).toEqual(["AuditPolicy", "Auditor", "auditLogFile"]);
});

it("exports these names under ./authentication", () => {
  expect(Object.keys(authentication).sort()).toEqual([
    "CertificateError",
    "CertificatePool",
    "CsvError",
    "JwtAuthenticator",
    "ServiceAccountTokenSigner",
    "StaticTokens",
    "VerifiedTokens",
    "WebhookClient",
    "afterValue",
    "anonymousAuthenticator",
    "bearerTokenAuthenticator",
    "bearerTokenWarning",
    "bootstrapTokenAuthenticator",
    "boundTokenAuthenticator",
    "certificatesOfPem",
    "checkJwtAuthenticator",
    "clientCertificateAuthenticator",
    "forServerAudiences",
    "inAuthenticatedGroup",
    "invalidToken",
    "isCertificateError",
    "isCsvError",
    "keptSigningKey",
    "keySetPath",
    "legacyTokenAuthenticator",
    "openIdConfigurationPath",
    "openIdMetadata",
    "readAuthenticationConfiguration",
    "readCsv",
    "readTokenFile",
    "requestHeaderAuthenticator",
    "requiredIdentity",
    "serviceAccountOf",
    "signingAlgorithms",
    "signingKeyOfPem",
    "storedObjects",
    "tokenWebhook",
    "unionAuthenticator",
    "unionTokenAuthenticator",
    "verifyingKeysOfPem",
    "webSocketTokenAuthenticator",
    "webhookTargetOfFile",
    "withGroupOfAuthenticated",
  ]);
});

it("exports these names under ./authorization", () => {
  expect(Object.keys(authorization).sort()).toEqual([
    "AbacAuthorizer",
    "RbacAuthorizer",
    "accessWebhook",
    "allRules",
    "alwaysAllow",
    "alwaysDeny",
    "compileMatchCondition",
    "escalationRefusal",
    "forbiddenRequest",
    "noRules",
    "privilegedGroups",
    "readAuthorizationConfiguration",
    "ruleAllows",
    "unionAuthorizer",
    "unionRuleResolver",
    "unlistedRules",
  ]);
});

it("exports these names under ./endpoints", () => {
  expect(Object.keys(endpoints).sort()).toEqual([
    "ApiRequest",
    "RunningWatches",
    "admissionAttributes",
    "admitCreated",
    "approvalSubresource",
    "asksForWebSocket",
    "bare",
    "checkSegmentName",
    "expectedType",
    "fieldManagerOptions",
    "finalizeSubresource",
    "isTrue",
    "listOptions",
    "methodNotAllowed",
    "namespaceOf",
    "negotiated",
    "openApiDocument",
    "partSubresource",
    "requestInfo",
    "respondList",
    "respondObject",
    "scaleSubresource",
    "send",
    "sendEmpty",
    "sendPlainText",
    "sendStream",
    "sendText",
    "shownOptions",
    "statusSubresource",
    "swaggerDocument",
    "trackFields",
    "unknownResource",
    "writable",
    "writeContext",
    "writeOptions",
  ]);
});

it("exports these names under ./fieldmanager", () => {
  expect(Object.keys(fieldmanager).sort()).toEqual(["createFieldManager", "withPrintedStructs"]);
});

it("exports these names under ./http", () => {
  expect(Object.keys(http).sort()).toEqual(["boundedText", "cut", "within"]);
});

it("exports these names under ./metrics", () => {
  expect(Object.keys(metrics).sort()).toEqual(["RequestCounters"]);
});

it("exports these names under ./registry", () => {
  expect(Object.keys(registry).sort()).toEqual([
    "ageCell",
    "ageColumn",
    "beforeCreate",
    "checkDeletePreconditions",
    "createdAtColumn",
    "defaultColumns",
    "generateName",
    "humanDuration",
    "isInt64",
    "labelErrors",
    "nameColumn",
    "predicateOf",
    "settleNamespace",
  ]);
});

it("exports these names under ./server", () => {
  expect(Object.keys(server).sort()).toEqual([
    "AllServedResources",
    "Compactor",
    "DynamicAdmission",
    "GenericServer",
    "ImpersonationFilter",
    "InProcessListener",
    "Listener",
    "ServerFaults",
    "ServingContext",
    "discoveryOf",
    "ensureObjects",
    "filterChain",
    "healthCheckLines",
    "healthPaths",
    "metricsEndpoint",
    "mirroredVersion",
    "nonResourceEndpoints",
    "objectsOf",
    "openApiOf",
    "paramReader",
    "readFieldSelector",
    "readLabelSelector",
    "readOptionFile",
    "serveInOrder",
    "serverContext",
    "statOptionFile",
    "unservedVersions",
    "withRetries",
  ]);
});

it("exports these names under ./webhook", () => {
  expect(Object.keys(webhook).sort()).toEqual([
    "UnreadableReviewError",
    "WebhookClients",
    "checkReviewNamed",
    "checkReviewType",
    "clientErrors",
    "isUnreadableReviewError",
    "transportErrorText",
  ]);
});
