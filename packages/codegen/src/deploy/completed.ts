import type { ManifestObject } from "./program-objects.ts";

/** What a program's objects are completed by. */
export interface Place {
  /** What names begin with, before a dash. */
  readonly program: string;
  /** What the namespace `system` stands for. */
  readonly namespace: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A role object with its names and its namespace in full: its own, and those of what it refers to. */
export function completedRole(object: ManifestObject, place: Place): ManifestObject {
  const { metadata, roleRef, subjects } = object;
  return {
    ...object,
    metadata: { ...metadata, name: `${place.program}-${metadata.name}`, ...namespaceIn(metadata, place) },
    ...(isRecord(roleRef) ? { roleRef: { ...roleRef, name: `${place.program}-${String(roleRef.name)}` } } : {}),
    ...(Array.isArray(subjects)
      ? {
          subjects: subjects.filter(isRecord).map((one) => {
            return { ...one, name: `${place.program}-${String(one.name)}`, ...namespaceIn(one, place) };
          }),
        }
      : {}),
  };
}

function namespaceIn({ namespace }: Readonly<Record<string, unknown>>, place: Place): object {
  return namespace === undefined ? {} : { namespace: namespace === "system" ? place.namespace : namespace };
}

/**
 * What API servers are told of webhooks, behind the program's own service. The bundle is left out: it is not the manifest's to say.
 */
export function completedWebhooks(object: object, place: Place): object {
  const names: Readonly<Record<string, string>> = {
    MutatingWebhookConfiguration: `${place.program}-mutating-webhook-configuration`,
    ValidatingWebhookConfiguration: `${place.program}-validating-webhook-configuration`,
  };
  const whole = withService(object, place);
  if (!isRecord(whole) || !isRecord(whole.metadata)) return object;
  const name = names[String(whole.kind)];
  if (name === undefined) return whole;
  // By the label the program knows its own. Its leader adds and removes what the manifest that was applied last does not know of.
  const own = { "app.kubernetes.io/name": place.program, "app.kubernetes.io/managed-by": "kustomize" };
  const labels = { ...own, ...(isRecord(whole.metadata.labels) ? whole.metadata.labels : {}) };
  const webhooks = Array.isArray(whole.webhooks) ? whole.webhooks.filter(isRecord) : [];
  const annotations = {
    ...(isRecord(whole.metadata.annotations) ? whole.metadata.annotations : {}),
    "kubewright.dev/webhooks": webhooks.map((one) => String(one.name)).join(","),
  };
  return { ...whole, metadata: { ...whole.metadata, name, labels, annotations } };
}

function withService(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((one) => withService(one, place));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (field === "clientConfig") return [field, clientConfig(inner, place)];
      if (field === "namespaceSelector") return [field, selector(inner, place)];
      return [field, field === "schema" ? inner : withService(inner, place)];
    }),
  );
}

function clientConfig(config: unknown, place: Place): unknown {
  if (!isRecord(config) || !isRecord(config.service)) return config;
  const { caBundle: _bundle, ...rest } = config;
  return {
    ...rest,
    service: { ...config.service, name: `${place.program}-webhook-service`, namespace: place.namespace },
  };
}

/** Webhooks that leave out the program's own namespace know it as `system`. */
function selector(value: unknown, place: Place): unknown {
  if (!isRecord(value) || !Array.isArray(value.matchExpressions)) return value;
  const matchExpressions = value.matchExpressions.map((one: unknown) =>
    isRecord(one) && one.key === "kubernetes.io/metadata.name" && Array.isArray(one.values)
      ? { ...one, values: one.values.map((name: unknown) => (name === "system" ? place.namespace : name)) }
      : one,
  );
  return { ...value, matchExpressions };
}
