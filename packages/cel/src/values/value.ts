import { spend, spendOnText } from "../text/cost-meter.ts";
import { type CelType, celType, typeName } from "./type.ts";

/**
 * A value of the expression language. `int` is a bigint, and `double` is a number; the other scalars are JavaScript
 * scalars, and everything else is a {@link CelNode}. A {@link CelError} is also a value: operators either absorb it or
 * propagate it.
 */
export type CelValue = boolean | bigint | number | string | null | CelNode;

/** A value that is not a JavaScript scalar. */
export abstract class CelNode {
  /** The value's run-time type, without type parameters. */
  abstract readonly type: CelType;
  /** Compares this value with another one. Returns an error if they are not comparable. */
  abstract equals(other: CelValue): boolean | CelError;
}

/** An error that occurred during evaluation. */
export class CelError extends CelNode {
  readonly type = celType.error;
  readonly message: string;

  constructor(message: string) {
    super();
    this.message = message;
  }

  equals(): CelError {
    return this;
  }
}

export const noSuchOverload = (): CelError => new CelError("no such overload");
export const noSuchKey = (key: string): CelError => new CelError(`no such key: ${key}`);
/** Reports whether a value is a {@link CelError}. Such errors are propagated, not thrown. */
export const isError = (value: CelValue | undefined): value is CelError => value instanceof CelError;

/** An unsigned 64-bit integer. */
export class CelUint extends CelNode {
  readonly type = celType.uint;
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean {
    return other instanceof CelUint
      ? other.value === this.value
      : typeof other !== "string" && equalNumbers(this, other);
  }
}

/** A sequence of bytes. */
export class CelBytes extends CelNode {
  readonly type = celType.bytes;
  readonly value: Uint8Array;

  constructor(value: Uint8Array) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean {
    return other instanceof CelBytes && Buffer.compare(this.value, other.value) === 0;
  }
}

/** A point in time: nanoseconds since 1970, and the UTC offset of the zone. */
export class CelTimestamp extends CelNode {
  readonly type = celType.timestamp;
  readonly ns: bigint;
  readonly zoneMinutes: number;

  constructor(ns: bigint, zoneMinutes = 0) {
    super();
    this.ns = ns;
    this.zoneMinutes = zoneMinutes;
  }

  equals(other: CelValue): boolean {
    return other instanceof CelTimestamp && other.ns === this.ns;
  }
}

/** A span of time in nanoseconds. */
export class CelDuration extends CelNode {
  readonly type = celType.duration;
  readonly ns: bigint;

  constructor(ns: bigint) {
    super();
    this.ns = ns;
  }

  equals(other: CelValue): boolean {
    return other instanceof CelDuration && other.ns === this.ns;
  }
}

/** A type as a value, such as `int` in `type(x) == int`. */
export class CelTypeValue extends CelNode {
  readonly type = celType.type();
  readonly of: CelType;

  constructor(of: CelType) {
    super();
    this.of = of;
  }

  get name(): string {
    return typeName(this.of);
  }

  equals(other: CelValue): boolean {
    return other instanceof CelTypeValue && other.name === this.name;
  }
}

/** A value that may be absent. */
export class CelOptional extends CelNode {
  static readonly none = new CelOptional(undefined);
  readonly type = celType.optional(celType.dyn);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelOptional)) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equal(this.value, other.value);
  }
}

/** Returns the type of a value, as in `type(x)`. */
export function typeOf(value: CelValue): CelType {
  switch (typeof value) {
    case "boolean":
      return celType.bool;
    case "bigint":
      return celType.int;
    case "number":
      return celType.double;
    case "string":
      return celType.string;
    default:
      return value === null ? celType.null : value.type;
  }
}

/**
 * Evaluates `a == b`. Numbers are compared by value, even if their types differ. Other values are equal only if they have the same type.
 */
export function equal(a: CelValue, b: CelValue): boolean | CelError {
  spend(1);
  if (a instanceof CelNode) return a.equals(b);
  if (b instanceof CelError) return b;
  if (typeof a === "bigint" || typeof a === "number") return equalNumbers(a, b);
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) spendOnText(a.length);
  return a === b;
}

const isNumber = (value: CelValue): value is bigint | number | CelUint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;

function equalNumbers(a: CelValue, b: CelValue): boolean {
  return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0;
}

/** Compares two numbers of any type. Returns `undefined` if one of them is NaN. */
export function compareNumbers(a: bigint | number | CelUint, b: bigint | number | CelUint): number | undefined {
  const [left, right] = [a instanceof CelUint ? a.value : a, b instanceof CelUint ? b.value : b];
  if (Number.isNaN(left) || Number.isNaN(right)) return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}
