import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { orderAnnotation } from "../api/group.ts";
import { type CnfKind, InvalidSpecError } from "./cnf-kind.ts";
import type { UciObject } from "./uci-object.ts";

/** A resource's position among the resources in a CNF collection. */
export interface Order {
  /** Value of the order annotation; 0 without it. */
  readonly order: number;
  /** Creation time, in RFC 3339. Undefined for a resource that is not stored yet; it comes last. */
  readonly created: string | undefined;
  readonly name: string;
}

/** Largest value of the order annotation; the smallest is its negative. */
const maxOrder = 1_000_000;
const maxShownLength = 64;

/**
 * Returns the error for a malformed order annotation, with its value and the remedy. Returns undefined if the
 * annotation is valid or absent.
 */
export function orderProblem({ metadata: { annotations } }: DeepReadonly<KubeObject>): string | undefined {
  const text = annotations?.[orderAnnotation];
  if (text === undefined || (/^-?\d{1,7}$/.test(text) && Math.abs(Number(text)) <= maxOrder)) return undefined;
  const shown = JSON.stringify(text.slice(0, maxShownLength));
  const range = `an integer from -${maxOrder} to ${maxOrder}`;
  return `annotation ${orderAnnotation}: ${shown} is not ${range}; change it, or remove the annotation for 0`;
}

/**
 * Returns a resource's position among others.
 *
 * @throws {InvalidSpecError} if the order annotation is malformed
 */
export function orderOf(object: DeepReadonly<KubeObject>): Order {
  const problem = orderProblem(object);
  if (problem !== undefined) throw new InvalidSpecError(problem);
  const { name, creationTimestamp, annotations } = object.metadata;
  return { order: Number(annotations?.[orderAnnotation] ?? 0), created: creationTimestamp, name };
}

/**
 * Compares two positions in the order in which the resources apply: by annotation, then by creation time, then by name.
 * This is a total order, because no two resources in a collection can have the same name.
 */
export function compareOrder(a: Order, b: Order): number {
  if (a.order !== b.order) return a.order - b.order;
  return compareTexts(a.created ?? "~", b.created ?? "~") || compareTexts(a.name, b.name);
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Returns the comparison function for the order in which a kind's objects must be on a CNF. */
export const fileOrder = (precedence: CnfKind["precedence"]): ((a: Order, b: Order) => number) =>
  precedence === "last" ? (a, b) => compareOrder(b, a) : compareOrder;

/** A group of objects in a collection whose relative order matters. */
export interface Lane {
  /** Names in the order in which the objects must be on a CNF. */
  readonly names: readonly string[];
  /** True if the CNF inserts the objects at a position. {@link Positions.isInserted} */
  readonly isInserted: boolean;
}

/** The properties of a kind that determine the order of its objects. */
export type OrderedKind = Pick<CnfKind, "path"> & Partial<Pick<CnfKind, "precedence" | "hasPosition" | "positions">>;

/**
 * Divides the objects in a collection into groups within which the order matters.
 *
 * @param objects the objects, keyed by name. Objects without an order are omitted
 */
export function lanesOf(
  { precedence, hasPosition = () => false, positions }: OrderedKind,
  orders: ReadonlyMap<string, Order>,
  objects: ReadonlyMap<string, UciObject>,
): readonly Lane[] {
  const positioned = new Map<string, UciObject>();
  const others: string[] = [];
  for (const [name, object] of objects)
    if (orders.has(name) && hasPosition(object)) positioned.set(name, object);
    else others.push(name);
  const lane = (names: readonly string[], by: CnfKind["precedence"], isInserted = false): Lane => {
    const compare = fileOrder(by);
    const places = names.flatMap((name) => {
      const order = orders.get(name);
      return order ? [{ name, order }] : [];
    });
    return { names: places.sort((a, b) => compare(a.order, b.order)).map(({ name }) => name), isInserted };
  };
  const groups = positions?.groupsOf(positioned) ?? [];
  const lanes = groups.map((names) => lane(names, positions?.precedence, positions?.isInserted));
  return [...lanes, lane(others, precedence)];
}

/** Returns the names of objects in any group that must have been moved. @param current all names, in order */
export const displacedInLanes = (lanes: readonly Lane[], current: readonly string[]): ReadonlySet<string> =>
  new Set(lanes.flatMap(({ names }) => [...displacedIn(current, names)]));

/**
 * Returns the number of objects that can keep their position. A CNF moves every written object to the end, so an object
 * can keep its position only if all objects before it do. All others must be written in the required order.
 *
 * @param current names on the CNF, in order
 * @param wanted names in the required order, including objects that are not on the CNF yet
 * @param isWritten reports whether the object must be written anyway
 */
export function stayingCount(
  current: readonly string[],
  wanted: readonly string[],
  isWritten: (name: string) => boolean = () => false,
): number {
  const positions = new Map(current.map((name, index) => [name, index]));
  let last = -1;
  for (const [count, name] of wanted.entries()) {
    const position = positions.get(name) ?? -1;
    if (position <= last || isWritten(name)) return count;
    last = position;
  }
  return wanted.length;
}

/**
 * Returns the smallest set of names whose objects must have been moved, assuming that the others kept their order.
 * These are the objects that someone moved; to revert the move, more objects may have to be written.
 */
export function displacedIn(current: readonly string[], wanted: readonly string[]): ReadonlySet<string> {
  const ranks = new Map(wanted.map((name, index) => [name, index]));
  const names = current.filter((name) => ranks.has(name));
  const before: number[] = []; // for each name, the previous one in the longest ordered sequence that ends with it
  const ends: number[] = []; // for each length, the end of the ordered sequence with the lowest end
  const rankAt = (index: number | undefined): number => ranks.get(names[index ?? -1] ?? "") ?? -1;
  for (let index = 0; index < names.length; index++) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rankAt(ends[middle]) < rankAt(index)) low = middle + 1;
      else high = middle;
    }
    before.push(ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const displaced = new Set(names);
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) displaced.delete(names[index] ?? "");
  return displaced;
}
