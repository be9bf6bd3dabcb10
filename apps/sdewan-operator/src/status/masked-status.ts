import { Mask, oneLine } from "../rules/mask.ts";

/** What holds secrets by its name, whatever a CNF shows it for. */
const secretKey = /pre_?shared|psk|private|secret|passw|sysauth|token/i;
const mask = "***";

/**
 * What a CNF says of itself, without secrets: neither those that are known, in any of their spellings, nor what stands under a key
 * that says it is one.
 *
 * @param status of a JSON document, of bounded depth
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

/** The texts in an object that stand under a key which says that they are secret, however deep. */
export function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    typeof member === "string" ? (isSecretKey(key) ? [member] : []) : secretsIn(member),
  );
}

/** Whether a field holds a secret, by its name. */
export const isSecretKey = (key: string): boolean => secretKey.test(key);
