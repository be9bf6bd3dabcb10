export const group = "shop.example.com";
export const version = "v1";

const verbs = ["create", "get", "list", "watch"];
const resource = {
  resource: "orders",
  responseKind: { group, version, kind: "Order" },
  scope: "Namespaced",
  singularResource: "order",
  verbs,
  shortNames: ["ord"],
};

export const aggregatedDiscovery = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: [{ metadata: { name: group }, versions: [{ version, resources: [resource], freshness: "Current" }] }],
};

/**
 * Responses of an extension server, keyed by path. Its OpenAPI documents also contain parts that belong to other
 * servers.
 */
export const documents: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  [
    `/apis/${group}/${version}`,
    {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: `${group}/${version}`,
      resources: [{ name: "orders", singularName: "order", namespaced: true, kind: "Order", verbs }],
    },
  ],
  [
    "/openapi/v3",
    {
      paths: {
        [`apis/${group}/${version}`]: { serverRelativeURL: "https://elsewhere/openapi/v3/x?hash=ABC123" },
        "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=stolen" },
      },
    },
  ],
  [`/openapi/v3/apis/${group}/${version}`, { openapi: "3.0.0", orders: true }],
  [
    "/openapi/v2",
    {
      swagger: "2.0",
      paths: {
        [`/apis/${group}/${version}/orders`]: { get: { schema: { $ref: "#/definitions/com.example.Order" } } },
        "/api/v1/pods": { get: { stolen: true } },
      },
      definitions: {
        "com.example.Order": { properties: { pod: { $ref: "#/definitions/io.k8s.api.core.v1.Pod" } } },
        "io.k8s.api.core.v1.Pod": { description: "another pod" },
        "com.example.Unused": {},
      },
    },
  ],
  [
    `/apis/${group}/${version}/namespaces/shop/orders/one`,
    { kind: "Order", apiVersion: `${group}/${version}`, metadata: { name: "one" } },
  ],
]);
