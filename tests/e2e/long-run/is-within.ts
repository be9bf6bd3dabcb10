/** Reports whether a value has all fields of another one with the same values. Lists must have the same length. */
export function isWithin(wanted: unknown, value: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) && value.length === wanted.length && wanted.every((each, i) => isWithin(each, value[i]))
    );
  if (typeof wanted !== "object" || wanted === null) return Object.is(wanted, value);
  if (typeof value !== "object" || value === null) return false;
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(value));
  return Object.entries(wanted).every(([field, each]) => each === undefined || isWithin(each, fields.get(field)));
}
