import { ownMember, Quantity, setOwnMember } from "@kubewright/apimachinery";

/** Quantities, keyed by resource name. */
export type ResourceList = Readonly<Record<string, Quantity>>;
/** Quantities as represented in JSON (strings or numbers), keyed by resource name. */
export type WireResourceList = Readonly<Record<string, string | number>>;

export const one: Quantity = Quantity.parse(1);
export const zero: Quantity = Quantity.parse(0);

/**
 * Parses quantities from their JSON representation. If the list is `undefined`, the result is empty.
 *
 * @throws {QuantityError} if a quantity is not valid
 */
export const parseResourceList = (list: WireResourceList | undefined): ResourceList =>
  mapAmounts(list ?? {}, (amount) => Quantity.parse(amount));

/** Converts quantities to their canonical JSON representation. */
export const formatResourceList = (list: ResourceList): Record<string, string> =>
  mapAmounts(list, (amount) => amount.toString());

/** Returns the sums of the quantities in two lists. @see apiserver pkg/quota/v1 Add */
export function addResources(a: ResourceList, b: ResourceList): ResourceList {
  const sum: Record<string, Quantity> = { ...a };
  for (const [name, amount] of Object.entries(b)) setOwnMember(sum, name, ownMember(sum, name)?.add(amount) ?? amount);
  return sum;
}

/**
 * Returns the quantities in `a` minus those in `b`. Negative results are replaced by zero.
 *
 * @see apiserver pkg/quota/v1 SubtractWithNonNegativeResult
 */
export function subtractResources(a: ResourceList, b: ResourceList): ResourceList {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const rest = (ownMember(a, name) ?? zero).subtract(ownMember(b, name) ?? zero);
      return [name, rest.nanos > 0n ? rest : zero];
    }),
  );
}

/** Returns the greater quantity of each resource in two lists. */
export function maxResources(a: ResourceList, b: ResourceList): ResourceList {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    const present = ownMember(result, name);
    if (!present || amount.compare(present) > 0) setOwnMember(result, name, amount);
  }
  return result;
}

/** Returns the part of a list with the given resource names. */
export function maskResources(list: ResourceList, names: readonly string[]): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([name]) => names.includes(name)));
}

export function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([, amount]) => !amount.isZero));
}

/** Returns the names of the resources that exceed their limits. Ignores resources without a limit. */
export function exceedingResources(list: ResourceList, limits: ResourceList): string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const amount = ownMember(list, name);
    return amount && amount.compare(limit) > 0 ? [name] : [];
  });
}

/**
 * Reports whether two lists contain the same resources with equal quantities. The notation does not matter: `1` equals `1000m`.
 *
 * @see apiserver pkg/quota/v1 Equals
 */
export function equalResources(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [left, right] = [ownMember(a, name), ownMember(b, name)];
      return left !== undefined && right !== undefined && left.compare(right) === 0;
    })
  );
}

/** Formats quantities, ordered by resource name, such as `cpu=1,pods=2`. */
export const resourcesText = (list: ResourceList): string =>
  Object.keys(list)
    .sort()
    .map((name) => `${name}=${list[name]}`)
    .join(",");

function mapAmounts<A, B>(list: Readonly<Record<string, A>>, map: (amount: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, map(amount)]));
}
