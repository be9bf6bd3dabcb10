/** Fields that a CNF fills in itself. */
const filledIn: readonly string[] = ["src_val", "dest_val", "dev_val", "enabled"];
/** Fields that the reference CNF drops, or returns as unreadable text. */
const notGivenBack: readonly string[] = ["if_id", "local_public_cert", "local_private_cert", "shared_ca"];

/**
 * Reports whether the `stored` response of a CNF matches the `wanted` object. Empty, `null`, `false` and absent fields are equal. Ignores
 * fields that the CNF fills in itself and fields that the reference CNF does not return as sent (`if_id` and certificates; a change of only
 * these is not noticed). The order of connections and members does not matter.
 */
export function isSameRecord(wanted: object, stored: object): boolean {
  const asked = new Map(Object.entries(wanted));
  const found = new Map(Object.entries(stored));
  const keys = new Set([...asked.keys(), ...found.keys()]);
  return [...keys].every(
    (key) =>
      notGivenBack.includes(key) ||
      (filledIn.includes(key) && isEmpty(asked.get(key))) ||
      isSame(asked.get(key), found.get(key)),
  );
}

function isSame(wanted: unknown, stored: unknown): boolean {
  if (isEmpty(wanted) || isEmpty(stored)) return isEmpty(wanted) && isEmpty(stored);
  if (Array.isArray(wanted) && Array.isArray(stored)) return isSameList(wanted, stored);
  return String(wanted).trim() === String(stored);
}

function isSameList(wanted: readonly unknown[], stored: readonly unknown[]): boolean {
  if (wanted.length !== stored.length) return false;
  return wanted.every((element, index) =>
    isObject(element)
      ? stored.some((other) => isObject(other) && isSameRecord(element, withoutGivenName(element, other)))
      : isSame(element, stored[index]),
  );
}

/** The CNF assigns names to members of policies. */
function withoutGivenName(wanted: object, stored: object): object {
  if ("name" in wanted) return stored;
  return Object.fromEntries(Object.entries(stored).filter(([key]) => key !== "name"));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}
