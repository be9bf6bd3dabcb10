import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { orderAnnotation } from "../api/group.ts";
import { InvalidSpecError } from "./cnf-kind.ts";

/** Place of a resource among the resources of one collection of a CNF. */
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

/** Returns the error for a malformed order annotation, with its value and the remedy; undefined if it is valid or absent. */
export function orderProblem({ metadata: { annotations } }: DeepReadonly<KubeObject>): string | undefined {
  const text = annotations?.[orderAnnotation];
  if (text === undefined || (/^-?\d{1,7}$/.test(text) && Math.abs(Number(text)) <= maxOrder)) return undefined;
  const shown = JSON.stringify(text.slice(0, maxShownLength));
  const range = `an integer from -${maxOrder} to ${maxOrder}`;
  return `annotation ${orderAnnotation}: ${shown} is not ${range}; change it, or remove the annotation for 0`;
}

/**
 * Returns the place of a resource among others.
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
 * Compares two places, in the order in which the resources apply: by the annotation, then by creation time, then by name. It is a total
 * order, because two resources in one collection cannot have the same name.
 */
export function compareOrder(a: Order, b: Order): number {
  if (a.order !== b.order) return a.order - b.order;
  return compareTexts(a.created ?? "~", b.created ?? "~") || compareTexts(a.name, b.name);
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
