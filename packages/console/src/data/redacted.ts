import type { CustomResourceDefinitionManifest } from "@kubewright/apimachinery";
import { isSecretName } from "./secret-names.ts";

const hidden = "(hidden)";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const deepest = 64;
/**
 * Maximum number of bytes that are searched per object. Each field counts as {@link perField} bytes more. The rest of the object is hidden.
 */
const maxSearched = 512 * 1024;
const perField = 32;

/**
 * Returns a copy of an object with hidden secrets and without managed fields. Hides the data in Secrets, fields whose
 * names suggest a secret, fields that have `format: password` in the CRD, copies of such values that `kubectl apply`
 * stores in an annotation, and secrets within strings.
 */
export function redacted(
  object: { readonly apiVersion: string; readonly kind: string; readonly metadata?: object },
  crd?: CustomResourceDefinitionManifest,
): object {
  const { managedFields: _noise, ...metadata } = (object.metadata ?? {}) as Record<string, unknown>;
  const annotations = Object.fromEntries(
    Object.entries(isRecord(metadata.annotations) ? metadata.annotations : {}).map(([name, value]) => [
      name,
      name === lastApplied ? hidden : value,
    ]),
  );
  const shown: Record<string, unknown> = { ...object, metadata: { ...metadata, annotations } };
  if (object.kind === "Secret")
    for (const field of ["data", "stringData"]) if (isRecord(shown[field])) shown[field] = sizesOf(shown[field]);
  const room = { left: maxSearched };
  return withoutSecrets(shown, { depth: 0, room, schema: schemaOf(object.apiVersion, crd) }) as object;
}

/** Hides secrets in a string: in JSON, YAML lines, arguments, headers and URLs. Also hides private keys. */
export const redactedText = (text: string): string =>
  withoutSecretsInText(text, { depth: 0, room: { left: maxSearched } });

const sizesOf = (data: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.keys(data).map((name) => [name, hidden]));

function schemaOf(apiVersion: string, crd: CustomResourceDefinitionManifest | undefined): unknown {
  const version = apiVersion.split("/").at(-1);
  return crd?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}

interface Place {
  readonly depth: number;
  readonly room: { left: number };
  readonly isHidden?: boolean;
  /** Schema of the value in the CRD. */
  readonly schema?: unknown;
}

function withoutSecrets(value: unknown, place: Place): unknown {
  const { depth, room, schema } = place;
  room.left -= perField;
  if (depth > deepest || room.left < 0) return hidden;
  const isHidden = place.isHidden || (isRecord(schema) && schema.format === "password");
  if (typeof value === "string") return isHidden ? hidden : withoutSecretsInText(value, place);
  if (Array.isArray(value)) {
    const inside = { depth: depth + 1, room, isHidden, schema: isRecord(schema) ? schema.items : undefined };
    return value.map((item, at) =>
      withoutSecrets(item, { ...inside, isHidden: isHidden || isValueOfFlag(value[at - 1], item) }),
    );
  }
  if (!isRecord(value)) return isHidden && typeof value === "number" ? hidden : value;
  // The name of an environment variable or header is in a field next to its value.
  const isNamedSo = [value.name, value.key].some((name) => typeof name === "string" && isSecretName(name));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isSecret = (isSecretName(name) && !isReference(field)) || (isNamedSo && name === "value");
      const inside = { depth: depth + 1, room, isHidden: isHidden || isSecret, schema: fieldOf(schema, name) };
      return [name, withoutSecrets(field, inside)];
    }),
  );
}

function fieldOf(schema: unknown, name: string): unknown {
  if (!isRecord(schema)) return undefined;
  const { properties, additionalProperties } = schema;
  return isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

/** Names of fields that occur in references to secrets. */
const referring = new Set([
  ...["apiGroup", "apiVersion", "defaultMode", "items", "key", "kind", "name", "namespace", "optional", "secretName"],
]);

/** Reports whether a value is a reference such as `{ name: "vpn", key: "psk" }`, or a list of references. */
function isReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isReference);
  if (!isRecord(value)) return false;
  const names = Object.keys(value);
  return (names.includes("name") || names.includes("secretName")) && names.every((name) => referring.has(name));
}

/** Reports whether a value is the argument after a flag such as `--password`. */
const isValueOfFlag = (before: unknown, value: unknown): boolean =>
  typeof before === "string" &&
  /^--?[\w.-]{1,100}$/.test(before) &&
  isSecretName(before) &&
  typeof value === "string" &&
  !value.startsWith("-");

function withoutSecretsInText(text: string, { depth, room }: Pick<Place, "depth" | "room">): string {
  if (!/[:=@ ]/.test(text)) return text; // most strings are plain names or words, which need no search
  room.left -= text.length;
  if (room.left < 0) return hidden;
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(withoutSecrets(JSON.parse(text), { depth: depth + 1, room }));
    } catch {
      // the text starts like JSON, but is not JSON
    }
  }
  return withoutSecretPairs(withoutSecretLines(text))
    .replace(/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/gs, hidden)
    .replace(/\b(bearer|basic)(\s{1,8})[\w.~+/=-]{4,}/gi, `$1$2${hidden}`)
    .replace(/\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s/?#"'<>:]*)(:[^\s/?#"'<>]*)?@/gi, withoutUserinfo);
}

/** Hides the password in a URL. If there is none, the user is hidden, because it may be a token; with SSH, it cannot be one. */
function withoutUserinfo(whole: string, scheme: string, user: string, password?: string): string {
  if (password !== undefined) return `${scheme}${user}:${hidden}@`;
  return /^https?:/i.test(scheme) ? `${scheme}${hidden}@` : whole;
}

/** Hides secrets that follow their name, as in `--token=a`, `--token a`, `?password=a`, `password=a user=b` and `"token": "a"`. */
function withoutSecretPairs(text: string): string {
  const named = /(?<![\w.-])(?:(--?[\w.-]{1,100})\s{1,4}(?![=:-])|-{0,2}([\w.-]{1,100})[\\"']{0,8}\s{0,4}[=:]\s{0,4})/g;
  let shown = "";
  let done = 0;
  for (let found = named.exec(text); found; found = named.exec(text)) {
    const name = found[1] ?? found[2] ?? "";
    if (!isSecretName(name)) continue;
    const start = named.lastIndex;
    const end = /authorization|cookie/i.test(name) ? endOfHeader(text, start) : endOfValue(text, start);
    if (end === start) continue;
    shown += text.slice(done, start) + hidden;
    done = end;
    named.lastIndex = end;
  }
  return shown + text.slice(done);
}

/** Returns the end of a header's value, which may consist of several words. */
function endOfHeader(text: string, start: number): number {
  const header = /\s*[^"'\n\\]*/y;
  header.lastIndex = start;
  const { length } = header.exec(text)?.[0] ?? "";
  return length > 0 ? start + length : endOfValue(text, start);
}

/** Returns the end of a value: the closing quote, which may be escaped, or the next space or delimiter. */
function endOfValue(text: string, start: number): number {
  const plain = /[^\s,;&"'\\]*/y;
  const quoted = /\\{0,8}["']/y;
  plain.lastIndex = start;
  quoted.lastIndex = start;
  const [quote] = quoted.exec(text) ?? [];
  if (quote === undefined) return start + (plain.exec(text)?.[0].length ?? 0);
  const end = text.indexOf(quote, start + quote.length);
  return end === -1 ? text.length : end + quote.length;
}

/** Hides secrets in YAML lines, such as `password: a` (with nested lines), and `value:` next to the name of a secret. */
function withoutSecretLines(text: string): string {
  if (!text.includes(":")) return text;
  const lines: string[] = [];
  let below: number | undefined;
  let isNamedSo = false;
  for (const line of text.split("\n")) {
    const indent = line.search(/\S/);
    if (below !== undefined && (indent === -1 || indent > below)) continue;
    below = undefined;
    const [, before = "", name = "", colon = "", value = ""] =
      /^(\s*(?:-\s{1,8})?)["']?([\w./-]{1,100})["']?(\s{0,4}:)(?:\s(.*))?$/s.exec(line) ?? [];
    if (name === "name") isNamedSo = isSecretName(value.replace(/["'\s]/g, ""));
    if (name === "" || !(isSecretName(name) || (isNamedSo && name === "value"))) {
      lines.push(line);
      continue;
    }
    lines.push(`${before}${name}${colon} ${hidden}`);
    below = before.length;
  }
  return lines.join("\n");
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
