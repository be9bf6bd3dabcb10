import { get, type Json, patch, post, put, remove, type Sequence } from "../runner/sequence.ts";
import { discoveryAccept as accept, crd, crds, tableAccept } from "./objects.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";

const registration = (group: string, spec: object = {}, version = "v1") => ({
  metadata: { name: `${version}.${group}` },
  spec: { group, version, groupPriorityMinimum: 1_500, versionPriority: 15, ...spec },
});
const behind = (namespace: string, port?: number) => ({
  service: { namespace, name: "back", ...(port ? { port } : {}) },
  insecureSkipTLSVerify: true,
});

const reason = (body: Json): unknown => body.status?.conditions?.[0]?.reason;
const until = (wanted: string) => ({ until: (body: Json) => reason(body) === wanted });
const groupOf = (name: string) => (body: Json) =>
  (body.items ?? body.groups)?.filter((each: Json) => (each.name ?? each.metadata?.name) === name);
/** Omits the definitions of other sequences. */
const namesOf = (body: Json) =>
  body.groups?.map(({ name }: Json) => name).filter((name: string) => name === away || !name.endsWith(".example.com"));

const away = "away.example.com";
const awayPath = `/apis/${away}/v1`;
const slice = (name: string, ports: object[], endpoints: object[]) => ({
  metadata: { name, labels: { "kubernetes.io/service-name": "back" } },
  addressType: "IPv4",
  endpoints,
  ports,
});

const invalid: Readonly<Record<string, unknown>> = {
  nothing: { metadata: { name: "v1.a.example.com" } },
  "another name": { ...registration("a.example.com"), metadata: { name: "a" } },
  "priorities too high": registration("a.example.com", { groupPriorityMinimum: 20_001, versionPriority: 1_001 }),
  "no group": registration("", {}, "v2"),
  "bad group and version": registration("A_b", {}, "V-1"),
  "local with certificates": registration("a.example.com", { caBundle: "YWJj", insecureSkipTLSVerify: true }),
  "empty service": registration("a.example.com", { service: {} }),
  "bad port": registration("a.example.com", { service: { namespace: "a", name: "b", port: 70_000 } }),
  "bundle and none": registration("a.example.com", { ...behind("a"), caBundle: "YWJj" }),
  "port by name": registration("a.example.com", { service: { namespace: "a", name: "b", port: "https" } }),
};

export const aggregation: readonly Sequence[] = [
  {
    name: "api-service-rules",
    steps: [
      ...Object.entries(invalid).map(([id, body]) => post(id, services, body)),
      post("create", services, registration("rules.example.com", behind("api-service-rules"))),
      put("without a version", `${services}/v1.rules.example.com`, registration("rules.example.com")),
      patch("another group", "merge", `${services}/v1.rules.example.com`, { spec: { group: "other.example.com" } }),
      patch("no priority", "merge", `${services}/v1.rules.example.com`, { spec: { versionPriority: 0 } }),
      patch("bad condition", "merge", `${services}/v1.rules.example.com/status`, {
        status: { conditions: [{ type: "Available", status: "Maybe" }] },
      }),
      patch(
        "another condition",
        "merge",
        `${services}/v1.rules.example.com/status`,
        {
          status: { conditions: [{ type: "Working", status: "True" }] },
        },
        { pick: (body) => body.status },
      ),
      remove("delete", `${services}/v1.rules.example.com`),
    ],
  },
  {
    name: "api-service-away",
    steps: [
      post("create", services, registration(away, behind("api-service-away"))),
      get("no service", `${services}/v1.${away}`, { ...until("ServiceNotFound"), pick: (body) => body.status }),
      get("its row", `${services}/v1.${away}`, { accept: tableAccept, pick: (body) => body.rows[0].cells.slice(0, 3) }),
      get("its resources", awayPath),
      get("an object", `${awayPath}/namespaces/default/things/one?a=b`),
      post("a new object", `${awayPath}/namespaces/default/things`, { a: "b" }),
      get("as nobody", `${awayPath}/things`, { as: "nobody" }),
      get("its group", `/apis/${away}`),
      get("among groups", "/apis", { pick: groupOf(away) }),
      get("the order of groups", "/apis", { pick: namesOf }),
      get("in discovery", "/apis", {
        accept,
        pick: groupOf(away),
        until: (body) => groupOf(away)(body)?.length === 1,
      }),
      post("a service", "~/services", { metadata: { name: "back" }, spec: { ports: [{ port: 80 }] } }),
      get("not listening", `${services}/v1.${away}`, { ...until("ServicePortError"), pick: (body) => body.status }),
      patch("listen", "merge", "~/services/back", { spec: { ports: [{ name: "tls", port: 443 }] } }),
      get("no slices", `${services}/v1.${away}`, { ...until("EndpointsNotFound"), pick: (body) => body.status }),
      post(
        "a slice",
        "discovery.k8s.io~/endpointslices",
        slice("back-1", [{ name: "other", port: 443 }], [{ addresses: ["10.1.2.3"] }]),
      ),
      get("no addresses", `${services}/v1.${away}`, { ...until("MissingEndpoints"), pick: (body) => body.status }),
      remove("no service any more", "~/services/back"),
      get("gone", `${services}/v1.${away}`, { ...until("ServiceNotFound"), pick: (body) => body.status }),
      patch("at a port that nobody has", "merge", `${services}/v1.${away}`, { spec: { service: { port: 1 } } }),
      post("an alias", "~/services", {
        metadata: { name: "back" },
        spec: { type: "ExternalName", externalName: "127.0.0.1" },
      }),
      get("refused", `${services}/v1.${away}`, { ...until("FailedDiscoveryCheck"), pick: (body) => body.status }),
      get("still away", awayPath),
      patch("served here", "merge", `${services}/v1.${away}`, { spec: { service: null, insecureSkipTLSVerify: null } }),
      get("which is available", `${services}/v1.${away}`, {
        ...until("Local"),
        pick: (body) => body.status.conditions[0],
      }),
      get("and is not there", `${awayPath}/things`),
      remove("delete", `${services}/v1.${away}`),
      get("no group any more", `/apis/${away}`, { until: (body) => body.kind !== "APIGroup" }),
    ],
  },
  {
    name: "api-service-of-definition",
    steps: [
      post("definition", crds, crd({ group: "registered.example.com", plural: "things", kind: "Thing" }), {
        pick: (body) => body.metadata.name,
      }),
      get("its service", `${services}/v1.registered.example.com`, { ...until("Local"), pick: (body) => body.spec }),
      patch("changed", "merge", `${services}/v1.registered.example.com`, { spec: { versionPriority: 7 } }),
      get("and changed back", `${services}/v1.registered.example.com`, {
        until: (body) => body.spec?.versionPriority === 100,
        pick: (body) => body.spec,
      }),
      remove("deleted", `${services}/v1.registered.example.com`, undefined, { pick: (body) => body.status }),
      get("and made again", `${services}/v1.registered.example.com`, {
        until: (body) => body.kind === "APIService",
        pick: (body) => body.spec,
      }),
    ],
  },
];
