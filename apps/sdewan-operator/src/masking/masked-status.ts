import { Mask, oneLine } from "./mask.ts";

/** Matches keys whose values are secrets. */
const secretKey = /pre_?shared|psk|private|secret|passw|sysauth|token/i;
const mask = "***";

/**
 * Returns a CNF's status without secrets. Removes known secrets in all encodings, and values whose keys suggest a secret.
 *
 * @param status value of a JSON document with limited depth
 */
export function maskedStatus(status: unknown, secrets: readonly (string | undefined)[]): unknown {
  const text = JSON.stringify(status) ?? "";
  const hide = new Mask(secrets, { short: true }).hiding();
  return walk(status, hide(text) === text ? (each) => each : (each) => oneLine(hide(each)));
}

function walk(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") return clean(String(value)) === String(value) ? value : mask;
  if (Array.isArray(value)) return value.map((element) => walk(element, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [clean(key), isSecretKey(key) ? mask : walk(member, clean)]),
  );
}

/** Returns the strings at any depth of an object whose keys suggest a secret. */
export function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    typeof member === "string" ? (isSecretKey(key) ? [member] : []) : secretsIn(member),
  );
}

/** Reports whether a key suggests a secret. */
export const isSecretKey = (key: string): boolean => secretKey.test(key);
