const hidden = "(hidden)";
/** Fields that by their name hold what nobody is to read. What only names a secret is shown. */
const secretField = /(password|passphrase|psk|presharedkey|privatekey|secretkey|apikey|token|credentials?)$/i;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const deepest = 64;

/**
 * An object without what is secret: the data of Secrets, fields that are named as secrets are, and what `kubectl apply` copied of
 * either. Managed fields are left out, for they are noise.
 */
export function redacted(object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: object;
}): object {
  const { managedFields: _noise, ...metadata } = (object.metadata ?? {}) as Record<string, unknown>;
  const annotations = { ...(metadata.annotations as Record<string, unknown> | undefined) };
  if (lastApplied in annotations) annotations[lastApplied] = hidden;
  const shown: Record<string, unknown> = { ...object, metadata: { ...metadata, annotations } };
  if (object.kind === "Secret")
    for (const field of ["data", "stringData"]) if (isRecord(shown[field])) shown[field] = sizesOf(shown[field]);
  return withoutSecrets(shown, 0) as object;
}

const sizesOf = (data: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.keys(data).map((name) => [name, hidden]));

function withoutSecrets(value: unknown, depth: number): unknown {
  if (depth > deepest) return hidden;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      secretField.test(name) && (typeof field === "string" || typeof field === "number")
        ? hidden
        : withoutSecrets(field, depth + 1),
    ]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
