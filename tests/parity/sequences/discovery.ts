import { get, type Json, type Sequence } from "../runner/sequence.ts";
import { discoveryAccept } from "./objects.ts";

const groups = [
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "apiregistration.k8s.io",
];

const withoutAddresses = ({ serverAddressByClientCIDRs, ...rest }: Json): unknown => ({
  ...rest,
  addresses: Array.isArray(serverAddressByClientCIDRs),
});

/** Returns the operations and schemas in a document for one group version, because documents have megabytes. */
const outline = (gvk: string) => (document: Json) => ({
  openapi: document.openapi,
  paths: Object.entries<Json>(document.paths ?? {})
    .filter(([path]) => path.includes(gvk) && !path.includes("/watch/"))
    .map(([path, item]) => [
      path,
      Object.keys(item)
        .filter((each) => each !== "parameters")
        .sort(),
    ])
    .sort(),
});

export const discovery: readonly Sequence[] = [
  {
    name: "discovery-aggregated",
    steps: [
      get("core", "/api", { accept: discoveryAccept }),
      get("groups", "/apis", { accept: discoveryAccept }),
      get("beta form alone", "/apis", {
        accept: "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
      }),
      get("beta form, then legacy", "/api", {
        accept: "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
        pick: withoutAddresses,
      }),
    ],
  },
  {
    name: "discovery-legacy",
    steps: [
      get("api", "/api", { pick: withoutAddresses }),
      get("apis", "/apis"),
      get("core v1", "/api/v1"),
      ...groups.flatMap((group) => [
        get(`group ${group}`, `/apis/${group}`),
        get(`resources of ${group}`, `/apis/${group}/v1`),
      ]),
      get("resources of autoscaling/v2", "/apis/autoscaling/v2"),
      get("api as yaml", "/apis/apps", { accept: "application/yaml" }),
      get("api as a table", "/apis/apps", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    ],
  },
  {
    name: "openapi",
    steps: [
      get("index", "/openapi/v3", {
        pick: (body) =>
          Object.keys(body.paths)
            .filter((path) => /^apis?\/(.*\/)?v\d/.test(path))
            .sort(),
      }),
      get("apps/v1", "/openapi/v3/apis/apps/v1", { pick: outline("/namespaces/{namespace}/deployments") }),
      get("core/v1", "/openapi/v3/api/v1", { pick: outline("/namespaces/{namespace}/configmaps") }),
      get("coordination", "/openapi/v3/apis/coordination.k8s.io/v1", { pick: outline("leases") }),
      get("unknown", "/openapi/v3/apis/nope/v1"),
    ],
  },
];
