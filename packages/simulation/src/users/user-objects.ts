import { type DefinedKind, isRecord, sampleOf } from "@kubewright/apimachinery";
import type { Random } from "../time/random.ts";
import { freshValue } from "./properties.ts";
import { apiVersionOfKind, schemaOf, type UserKind } from "./user-kind.ts";

/**
 * Values of the objects that users create, without metadata: one, several to choose from, a function of random numbers in [0, 1), or an
 * arbitrary of fast-check.
 */
export type UserValues = object | readonly object[] | ((random: () => number) => object);

/** Names of the objects that users create. Few, so that names are used again. */
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
  if (values !== undefined) return { ...values };
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

const sampled = (kind: UserKind): Record<string, unknown> =>
  // A sample needs only the CRD and the names. If it is not valid, the API server refuses it.
  ({ ...sampleOf({ parse: (object: unknown) => object, ...kind } as DefinedKind, { onProblem: () => {} }) });
