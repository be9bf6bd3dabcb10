import type { ManifestObject } from "./program-objects.ts";

/** The prefix and namespace that are added to the names in a program's objects. */
export interface Place {
  /** Name of the program, which is the prefix of all names (without the dash). */
  readonly program: string;
  /** Namespace that replaces `system`. */
  readonly namespace: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a copy of a role object with complete names and namespaces, including those in references. */
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
 * Returns a copy of a webhook configuration or CRD that calls the program's service. The copy contains no CA bundle,
 * because it is injected at run time.
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
  // The label marks the program's own configurations. At run time, the leader adds and removes entries only in configurations with this
  // label, and never entries that the last applied manifest contains.
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

/** Replaces `system`, the placeholder for the namespace of the program, in a namespace selector. */
function selector(value: unknown, place: Place): unknown {
  if (!isRecord(value) || !Array.isArray(value.matchExpressions)) return value;
  const matchExpressions = value.matchExpressions.map((one: unknown) =>
    isRecord(one) && one.key === "kubernetes.io/metadata.name" && Array.isArray(one.values)
      ? { ...one, values: one.values.map((name: unknown) => (name === "system" ? place.namespace : name)) }
      : one,
  );
  return { ...value, matchExpressions };
}
