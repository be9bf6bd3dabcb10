const hidden = "(hidden)";
/** Fields that by their name hold what nobody is to read, alone or together. What only names a secret is shown. */
const secretField =
  /(passwords?|passwds?|passphrases?|psks?|presharedkeys?|privatekeys?|privatecerts?|secretkeys?|apikeys?|accesskeys?|clientsecrets?|tokens?|credentials?)$/i;
/** `preSharedKey`, `pre_shared_key` and `PRE-SHARED-KEY` are one name. */
const isSecret = (name: unknown): boolean => typeof name === "string" && secretField.test(name.replace(/[-_.]/g, ""));
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
  const annotations = Object.fromEntries(
    Object.entries(isRecord(metadata.annotations) ? metadata.annotations : {}).map(([name, value]) => [
      name,
      name === lastApplied ? hidden : withoutSecretsInText(value),
    ]),
  );
  const shown: Record<string, unknown> = { ...object, metadata: { ...metadata, annotations } };
  if (object.kind === "Secret")
    for (const field of ["data", "stringData"]) if (isRecord(shown[field])) shown[field] = sizesOf(shown[field]);
  return withoutSecrets(shown, 0) as object;
}

/** Other tools, and conversions, keep parts of objects in annotations. */
function withoutSecretsInText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(value), 0));
  } catch {
    return value; // it only begins as JSON does
  }
}

const sizesOf = (data: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.keys(data).map((name) => [name, hidden]));

function withoutSecrets(value: unknown, depth: number, isHidden = false): unknown {
  if (depth > deepest) return hidden;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1, isHidden));
  if (!isRecord(value)) return isHidden && (typeof value === "string" || typeof value === "number") ? hidden : value;
  // A variable of a container is named in the field beside its value.
  const isNamedSo = isSecret(value.name);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      withoutSecrets(field, depth + 1, isHidden || isSecret(name) || (isNamedSo && name === "value")),
    ]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
