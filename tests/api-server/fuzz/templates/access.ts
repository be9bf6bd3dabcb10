import { inDefault, metadata, type Template } from "./template.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rules = [{ apiGroups: ["", "apps"], resources: ["pods", "pods/log"], verbs: ["get"], resourceNames: ["x"] }];
const subjects = [
  { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "ServiceAccount", name: "sa", namespace: "default" },
];
const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";

export const accessTemplates: readonly Template[] = [
  { collection: inDefault(rbac, "roles"), object: { metadata: metadata("r"), rules } },
  {
    collection: `${rbac}/clusterroles`,
    object: {
      metadata: metadata("cr"),
      rules: [...rules, { nonResourceURLs: ["/x/*"], verbs: ["get"] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    },
  },
  {
    collection: inDefault(rbac, "rolebindings"),
    object: {
      metadata: metadata("rb"),
      subjects,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    },
  },
  {
    collection: `${rbac}/clusterrolebindings`,
    object: {
      metadata: metadata("crb"),
      subjects,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    },
  },
  {
    collection: "/apis/scheduling.k8s.io/v1/priorityclasses",
    object: {
      metadata: metadata("pc"),
      value: 1000,
      globalDefault: false,
      description: "d",
      preemptionPolicy: "Never",
    },
  },
  {
    collection: "/apis/node.k8s.io/v1/runtimeclasses",
    object: {
      metadata: metadata("rtc"),
      handler: "h",
      overhead: { podFixed: { cpu: "100m" } },
      scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "k", operator: "Exists" }] },
    },
  },
  {
    collection: inDefault("/apis/coordination.k8s.io/v1", "leases"),
    object: {
      metadata: metadata("l"),
      spec: {
        holderIdentity: "h",
        leaseDurationSeconds: 10,
        leaseTransitions: 1,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
      },
    },
  },
  {
    collection: `${flow}/flowschemas`,
    object: {
      metadata: metadata("fs"),
      spec: {
        priorityLevelConfiguration: { name: "global-default" },
        matchingPrecedence: 500,
        distinguisherMethod: { type: "ByUser" },
        rules: [
          {
            subjects: [
              { kind: "User", user: { name: "u" } },
              { kind: "Group", group: { name: "g" } },
              { kind: "ServiceAccount", serviceAccount: { name: "s", namespace: "default" } },
            ],
            resourceRules: [
              { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["*"], clusterScope: true },
            ],
            nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/x"] }],
          },
        ],
      },
    },
    status: { conditions: [{ type: "Dangling", status: "False" }] },
  },
  {
    collection: `${flow}/prioritylevelconfigurations`,
    object: {
      metadata: metadata("plc"),
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 10,
          lendablePercent: 50,
          borrowingLimitPercent: 10,
          limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
    status: { conditions: [{ type: "T", status: "True" }] },
  },
  {
    collection: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    object: {
      metadata: metadata("csr"),
      spec: {
        request:
          "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIUU1IY0NBUUF3RlRFVE1CRUdBMVVFQXd3S2EzVmlaWGR5YVdkb2REQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxRwpTTTQ5QXdFSEEwSUFCRS9ZcWJteHY0N2FpemQrUitoVHZoNXpjRWdaekxEZk14SmQvVUc1eGx1aWh0L1dFNVZlCkRmbGQ2SVFYN3ZFN1RNYUc1OG04RmVUS2JWS3J0Wmo5b3V5Z0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUEKaGlCdDRqblNUOE1PQStkY1dUeVJkNFoyWE1iZ05UQkhRT0ZxVzRCOTBPMENJUUNObWxHdHQyQnlnbzZpVi8xbQpkKzhPMTg2V0NCNHZUbGhFRE51b0xZNnorUT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=",
        signerName: "example.com/s",
        usages: ["client auth", "digital signature"],
        expirationSeconds: 600,
      },
    },
  },
  {
    collection: "/apis/apiregistration.k8s.io/v1/apiservices",
    object: {
      metadata: { name: "v1.foo.example.com" },
      spec: {
        group: "foo.example.com",
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: "default", name: "s", port: 443 },
        insecureSkipTLSVerify: true,
      },
    },
  },
];
