export const ns = "guarded";
export const core = `/api/v1/namespaces/${ns}`;
export const group = (name: string, version = "v1"): string => `/apis/${name}/${version}`;
export const inNs = (name: string): string => `${group(name)}/namespaces/${ns}`;
export const rbac = "rbac.authorization.k8s.io";
export const applyType = "application/apply-patch+yaml";
export const mergeType = "application/merge-patch+json";

export const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
export const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });
export const tokenSecret = (name: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, annotations: { "kubernetes.io/service-account.name": "robot" } },
  type: "kubernetes.io/service-account-token",
});
export const role = (name: string, kind = "Role") => ({
  apiVersion: `${rbac}/v1`,
  kind,
  metadata: { name },
  rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }],
});
export const roleBinding = (name: string, kind = "RoleBinding") => ({
  apiVersion: `${rbac}/v1`,
  kind,
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "lists-secrets" },
  subjects: [{ apiGroup: rbac, kind: "User", name: "friend" }],
});
export const notHeld = "is attempting to grant RBAC permissions not currently held";

export const deployments = `${inNs("apps")}/deployments`;
export const request = (name: string) => ({
  metadata: { name },
  spec: { request: certificateRequest, signerName: "test.example/one", usages: ["client auth"] },
});
export const csr = `${group("certificates.k8s.io")}/certificatesigningrequests`;
/** PEM of a certificate request for `CN=asked`, encoded in base64 again. */
const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RllYTnJaV1F3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFTYjEwbWx6bHloMDdUTEE4R29xUnhxN0VZQUtOS05VNkx6V2NESzNnODJRMi9ZQWptM1Mxdmx5dTlpCnVGSEMzVktUZzczeXdiMDlkYmE3UnprS0EwZTBvQUF3Q2dZSUtvWkl6ajBFQXdJRFJ3QXdSQUlnWWxhWFdhRFEKVHVnM1lpeVNZb2dGZ293WkZXQmpxYnhBRTdIaGFTdnkzNklDSUVpdThxOU9tVTd0QjlTTjcwcjN0WjZNQUFhNApyV0QzUER4MUV2bmdaT1E4Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
export const admission = "admissionregistration.k8s.io";
export const policy = (
  name: string,
  kind = "ValidatingAdmissionPolicy",
  paramKind: object | undefined = { apiVersion: "v1", kind: "Secret" },
) => ({
  apiVersion: `${admission}/v1`,
  kind,
  metadata: { name },
  spec: {
    ...(paramKind ? { paramKind } : {}),
    matchConstraints: {
      resourceRules: [{ apiGroups: ["none.such"], apiVersions: ["*"], operations: ["CREATE"], resources: ["*"] }],
    },
    ...(kind.startsWith("Validating")
      ? { validations: [{ expression: "true" }] }
      : {
          reinvocationPolicy: "Never",
          failurePolicy: "Fail",
          mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/x"}]' } }],
        }),
  },
});
export const policyBinding = (
  name: string,
  policyName: string,
  paramRef: object,
  kind = "ValidatingAdmissionPolicyBinding",
) => ({
  apiVersion: `${admission}/v1`,
  kind,
  metadata: { name },
  spec: {
    policyName,
    paramRef: { parameterNotFoundAction: "Deny", ...paramRef },
    ...(kind.startsWith("Validating") ? { validationActions: ["Deny"] } : {}),
  },
});
export const policies = `${group(admission)}/validatingadmissionpolicies`;
export const policyBindings = `${group(admission)}/validatingadmissionpolicybindings`;
