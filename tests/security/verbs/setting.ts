import {
  admission,
  configMap,
  core,
  csr,
  deployments,
  group,
  ns,
  policies,
  policy,
  rbac,
  request,
  role,
} from "./objects.ts";

/** Objects that the cases expect. */
export const setting: readonly (readonly [path: string, body: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: ns } }],
  ["/api/v1/namespaces", { metadata: { name: "victim" } }],
  [`${core}/configmaps`, configMap("there")],
  [`${core}/secrets`, { metadata: { name: "a" }, stringData: { a: "the secret of a" } }],
  [`${core}/secrets`, { metadata: { name: "b" }, stringData: { b: "the secret of b" } }],
  [`${core}/serviceaccounts`, { metadata: { name: "robot" } }],
  [`${core}/pods`, { metadata: { name: "web" }, spec: { containers: [{ name: "c", image: "i" }] } }],
  [
    deployments,
    {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    },
  ],
  [`${group(rbac)}/clusterroles`, role("lists-secrets", "ClusterRole")],
  [csr, request("asked")],
  [policies, policy("reads-secrets")],
  [`${group(admission)}/mutatingadmissionpolicies`, policy("changes-by-secrets", "MutatingAdmissionPolicy")],
];
