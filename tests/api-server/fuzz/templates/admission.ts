import { metadata, type Template } from "./template.ts";

const admission = "/apis/admissionregistration.k8s.io/v1";
const rule = {
  operations: ["CREATE"],
  apiGroups: ["x.example.com"],
  apiVersions: ["v1"],
  resources: ["xs"],
  scope: "*",
};
const webhook = {
  name: "w.example.com",
  clientConfig: { service: { namespace: "default", name: "s", path: "/x", port: 443 } },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Ignore",
  matchPolicy: "Exact",
  timeoutSeconds: 5,
  namespaceSelector: { matchLabels: { a: "b" } },
  objectSelector: { matchExpressions: [{ key: "k", operator: "Exists" }] },
  matchConditions: [{ name: "c", expression: "object.metadata.name == 'x'" }],
};
const matchConstraints = { resourceRules: [{ ...rule, resourceNames: ["x"] }], matchPolicy: "Equivalent" };

export const admissionTemplates: readonly Template[] = [
  {
    collection: `${admission}/validatingwebhookconfigurations`,
    object: { metadata: metadata("vw"), webhooks: [webhook] },
  },
  {
    collection: `${admission}/mutatingwebhookconfigurations`,
    object: {
      metadata: metadata("mw"),
      webhooks: [{ ...webhook, reinvocationPolicy: "IfNeeded", clientConfig: { url: "https://x.example.com/p" } }],
    },
  },
  {
    collection: `${admission}/validatingadmissionpolicies`,
    object: {
      metadata: metadata("vap"),
      spec: {
        failurePolicy: "Ignore",
        matchConstraints,
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [
          {
            expression: "object.metadata.name != 'x'",
            message: "m",
            reason: "Invalid",
            messageExpression: "'a' + 'b'",
          },
        ],
        auditAnnotations: [{ key: "k", valueExpression: "'v'" }],
        matchConditions: [{ name: "c", expression: "true" }],
        variables: [{ name: "v", expression: "1 + 1" }],
      },
    },
    status: {
      observedGeneration: 1,
      conditions: [
        { type: "T", status: "True", reason: "R", message: "M", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    },
  },
  {
    collection: `${admission}/validatingadmissionpolicybindings`,
    object: {
      metadata: metadata("vapb"),
      spec: {
        policyName: "vap",
        validationActions: ["Deny", "Audit"],
        paramRef: { name: "p", namespace: "default", parameterNotFoundAction: "Allow" },
        matchResources: { namespaceSelector: { matchLabels: { a: "b" } } },
      },
    },
  },
  {
    collection: `${admission}/mutatingadmissionpolicies`,
    object: {
      metadata: metadata("map"),
      spec: {
        failurePolicy: "Ignore",
        matchConstraints,
        reinvocationPolicy: "IfNeeded",
        mutations: [
          { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } },
          { patchType: "JSONPatch", jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/x'}]" } },
        ],
        variables: [{ name: "v", expression: "1 + 1" }],
      },
    },
  },
  {
    collection: `${admission}/mutatingadmissionpolicybindings`,
    object: {
      metadata: metadata("mapb"),
      spec: { policyName: "map", paramRef: { selector: {}, parameterNotFoundAction: "Deny" } },
    },
  },
];
