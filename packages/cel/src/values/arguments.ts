import { CelList, CelMap } from "./collections.ts";
import { CelBytes, CelDuration, CelOptional, CelTimestamp, CelUint, type CelValue } from "./value.ts";

/**
 * Throws an error for an argument of the wrong type. Types are checked before a function is called, so the accessors below throw only if a
 * signature and its implementation disagree.
 */
function wrong(wanted: string): never {
  throw new Error(`a CEL function was called with an argument that is not of type ${wanted}`);
}

export const asString = (value: CelValue | undefined): string => (typeof value === "string" ? value : wrong("string"));
export const asInt = (value: CelValue | undefined): bigint => (typeof value === "bigint" ? value : wrong("int"));
export const asDouble = (value: CelValue | undefined): number => (typeof value === "number" ? value : wrong("double"));
export const asBool = (value: CelValue | undefined): boolean => (typeof value === "boolean" ? value : wrong("bool"));
export const asUint = (value: CelValue | undefined): bigint => (value instanceof CelUint ? value.value : wrong("uint"));
export const asBytes = (value: CelValue | undefined): Uint8Array =>
  value instanceof CelBytes ? value.value : wrong("bytes");
export const asList = (value: CelValue | undefined): CelList => (value instanceof CelList ? value : wrong("list"));
export const asMap = (value: CelValue | undefined): CelMap => (value instanceof CelMap ? value : wrong("map"));
export const asTimestamp = (value: CelValue | undefined): bigint =>
  value instanceof CelTimestamp ? value.ns : wrong("timestamp");
export const asDuration = (value: CelValue | undefined): bigint =>
  value instanceof CelDuration ? value.ns : wrong("duration");
export const asOptional = (value: CelValue | undefined): CelOptional =>
  value instanceof CelOptional ? value : wrong("optional");
