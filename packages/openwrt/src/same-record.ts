/** Fields that a CNF fills in by itself. */
const filledIn: readonly string[] = ["src_val", "dest_val", "dev_val", "enabled"];
/** Fields that the reference CNF drops, or answers as unreadable text. */
const notGivenBack: readonly string[] = ["if_id", "local_public_cert", "local_private_cert", "shared_ca"];

/**
 * Whether a CNF that answers `stored` holds what `wanted` asks for. Empty, `null`, `false` and absent fields are the same; what
 * the CNF fills in by itself is passed over, and so are fields that the reference CNF does not give back as they were sent
 * (`if_id` and certificates: a change of these alone is not seen). Connections and members may come in any order.
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

/** Members of policies get names from the CNF. */
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
