import { type DefinedKind, isRecord, sampleOf } from "@kubewright/apimachinery";
import { Random } from "../time/random.ts";
import { freshValue } from "./properties.ts";
import { apiVersionOfKind, schemaOf, type UserKind } from "./user-kind.ts";

/**
 * Values for the objects that users create, without metadata: a single value, several values to choose from, a function
 * that is passed a source of random numbers in [0, 1), or a fast-check arbitrary.
 */
export type UserValues = object | readonly object[] | ((random: () => number) => object);

/** The members of fast-check's `Arbitrary` that are used here. */
interface Arbitrary {
  generate(numbers: object, biasFactor: number | undefined): { readonly value: object };
}

/** Names of the objects that users create. There are only a few, so that names are reused. */
const names = ["north", "south", "east"] as const;

/** An object that users create. */
export interface UserObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** Returns a new object of a kind. */
export function newObject(
  kind: UserKind,
  values: UserValues | undefined,
  namespace: string,
  random: Random,
): UserObject {
  const { metadata: given, ...value } = contentOf(kind, values, random);
  const metadata = {
    ...(isRecord(given) ? given : {}),
    name: random.one(names),
    ...(kind.scope === "Cluster" ? {} : { namespace }),
  };
  return { ...value, apiVersion: apiVersionOfKind(kind), kind: kind.kind, metadata };
}

function contentOf(kind: UserKind, values: UserValues | undefined, random: Random): Record<string, unknown> {
  if (typeof values === "function") return { ...values(random.next) };
  if (Array.isArray(values)) return { ...random.one(values) };
  if (values !== undefined) return { ...(isArbitrary(values) ? generated(values, random) : values) };
  const schema = schemaOf(kind);
  if (!schema)
    throw new Error(`users cannot create ${kind.kind}: it has no schema; set users: { ${kind.kind}: { spec: … } }`);
  const { apiVersion: _apiVersion, kind: _kind, status: _status, ...sample } = sampled(kind);
  const spec = schema.properties?.spec;
  // Mostly the smallest valid object; sometimes one with more.
  if (!spec || random.chance(0.6)) return sample;
  const fresh = freshValue(spec, random);
  return { ...sample, spec: { ...(isRecord(fresh) ? fresh : {}), ...(isRecord(sample.spec) ? sample.spec : {}) } };
}

const isArbitrary = (values: object): values is Arbitrary =>
  "generate" in values && typeof values.generate === "function";

function generated(arbitrary: Arbitrary, random: Random): object {
  // An own source, because the number of values that an arbitrary takes depends on the version of fast-check.
  return arbitrary.generate(numbersOf(random.below(2 ** 32)), undefined).value;
}

/** Returns a source of random numbers as arbitraries use it. @see fast-check Random */
function numbersOf(seed: number): object {
  const random = new Random(seed);
  const nextBigInt = (min: bigint, max: bigint): bigint => {
    const size = max - min + 1n;
    let value = 0n;
    for (let reached = 1n; reached < size << 32n; reached <<= 32n)
      value = (value << 32n) | BigInt(random.below(2 ** 32));
    return min + (value % size);
  };
  return {
    next: (bits: number) => random.below(2 ** bits),
    nextBoolean: () => random.chance(0.5),
    nextInt: (min = -(2 ** 31), max = 2 ** 31 - 1) => Number(nextBigInt(BigInt(min), BigInt(max))),
    nextBigInt,
    nextDouble: () => (random.below(2 ** 26) * 2 ** 27 + random.below(2 ** 27)) / 2 ** 53,
    clone: () => numbersOf(random.below(2 ** 32)),
    getState: () => undefined,
  };
}

const sampled = (kind: UserKind): Record<string, unknown> =>
  // A sample needs only the CRD and the names. If it is not valid, the API server refuses it.
  ({ ...sampleOf({ parse: (object: unknown) => object, ...kind } as DefinedKind, { onProblem: () => {} }) });
