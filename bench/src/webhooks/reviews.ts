const group = "bench.kubewright.dev";

/** A request to webhooks, as bytes. */
export interface Review {
  readonly path: string;
  readonly body: Buffer;
}

/** Returns a review of the creation of an object that the validator allows. */
export const validation = (): Review => ({ path: `/validate-${slug}-v1-site`, body: admission(site("v1", 0, 3)) });

/** Returns a review of the creation of an object that lacks the field that the defaulter sets. */
export const defaulting = (): Review => ({ path: `/mutate-${slug}-v1-site`, body: admission(site("v1", 0)) });

/** Returns a review that requests the conversion of objects from the older version to the newer one. */
export const conversion = (objects: number): Review => ({
  path: "/convert",
  body: bytes({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: {
      uid,
      desiredAPIVersion: `${group}/v1`,
      objects: Array.from({ length: objects }, (_, index) => site("v1beta1", index, 3)),
    },
  }),
});

const slug = group.replaceAll(".", "-");
const uid = "705ab4f5-6393-11e8-b7cc-42010a800002";
const bytes = (review: unknown): Buffer => Buffer.from(JSON.stringify(review));

function admission(object: ReturnType<typeof site>): Buffer {
  const { name, namespace } = object.metadata;
  const kind = { group, version: "v1", kind: "Site" };
  const resource = { group, version: "v1", resource: "sites" };
  return bytes({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid,
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name,
      namespace,
      operation: "CREATE",
      userInfo: { username: "alice", uid: "1", groups: ["developers", "system:authenticated"] },
      object,
      oldObject: null,
      dryRun: false,
      options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions", fieldManager: "kubectl-client-side-apply" },
    },
  });
}

/** Returns an object of 4 KB. As in real objects, a third of it is metadata that the server has set. */
const site = (version: "v1" | "v1beta1", index: number, replicas?: number) => ({
  apiVersion: `${group}/${version}`,
  kind: "Site",
  metadata: {
    name: `site-${index}`,
    namespace: "shop",
    uid: `${uid.slice(0, -4)}${String(index).padStart(4, "0")}`,
    creationTimestamp: "2026-01-02T03:04:05Z",
    generation: 1,
    labels: { app: "shop", tier: "web" },
    managedFields: [
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: `${group}/${version}`,
        time: "2026-01-02T03:04:05Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": { "f:ports": portsOf(20, (port) => [`k:{"name":"${port}"}`, { ".": {}, "f:port": {} }]) },
        },
      },
    ],
  },
  spec: {
    ...(version === "v1"
      ? { image: "registry.example.com/shop/web:1.2.3" }
      : { container: "registry.example.com/shop/web:1.2.3" }),
    ...(replicas === undefined ? {} : { replicas }),
    ports: Array.from({ length: 20 }, (_, at) => ({ name: `port-${at}`, port: 8000 + at, protocol: "TCP" })),
    settings: portsOf(20, (port) => [port, `value of ${port}`]),
  },
});

const portsOf = <T>(count: number, of: (name: string) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => of(`port-${at}`)));
