import { readFileSync } from "node:fs";
import { apiVersionOf, groupKindKey, isRecord, isStatusError, type Unstructured } from "@kubewright/apimachinery";
import type { ServedResource, StrategyContext } from "@kubewright/apiserver/registry";
import { beforeCreate } from "@kubewright/apiserver/registry";
import { systemRandom } from "@kubewright/clock";
import { decodeBuiltin } from "@kubewright/codec";
import { builtinCatalogue, builtinSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import { builtinStrategies } from "./index-of-kinds.ts";

/**
 * kube-apiserver's result for a dry-run create: the stored object without values from admission and allocators, or the causes of its
 * rejection in alphabetical order.
 */
interface Observation {
  readonly path: string;
  readonly body: Unstructured;
  readonly stored?: Unstructured;
  readonly errors?: readonly string[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./testdata/${name}`, import.meta.url), "utf8"));
const observations = read("observed.json") as readonly Observation[];
const tableColumns = read("table-columns.json") as Readonly<Record<string, string>>;

const context: StrategyContext = {
  user: { name: "admin", groups: ["system:masters"] },
  nowMs: Date.UTC(2026, 0, 1),
  namespace: "default",
  dryRun: true,
};

function served(body: Unstructured): ServedResource {
  const entry = builtinCatalogue.find((e) => apiVersionOf(e) === body.apiVersion && e.kind === body.kind);
  const schema = entry && builtinSchema(entry);
  if (!entry || !schema) throw new Error(`no schema of ${body.apiVersion} ${body.kind}`);
  return {
    ...entry,
    origin: "builtin",
    strategy: builtinStrategies[groupKindKey(entry)] ?? {},
    schema,
    storagePrefix: "/x/",
  };
}

function create(body: Unstructured): { readonly stored?: unknown; readonly errors?: readonly string[] } {
  const resource = served(body);
  if (resource.schema.type !== "object") throw new Error("a resource is an object");
  const object: Unstructured = { ...body, ...decodeBuiltin(body, resource.schema).value };
  resource.strategy.applyDefaults?.(object);
  const account = underAccount(object);
  try {
    beforeCreate(resource, object, context, systemRandom);
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const causes = error.status.details?.causes ?? [];
    return { errors: [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))].sort() };
  }
  const { uid = "" } = object.metadata;
  account.takeAway();
  delete object.metadata.uid;
  delete object.metadata.creationTimestamp;
  const { status } = object;
  if (isRecord(status)) delete status.lastPhaseTransitionTime;
  return { stored: JSON.parse(JSON.stringify(object).replaceAll(uid, "<uid>")) };
}

/** Adds the pods' account, which admission sets before validation. */
function underAccount(object: Unstructured): { takeAway(): void } {
  if (object.kind !== "Pod" || !isRecord(object.spec) || object.spec.serviceAccountName !== undefined)
    return { takeAway() {} };
  object.spec.serviceAccountName = "default";
  return {
    takeAway() {
      if (isRecord(object.spec)) delete object.spec.serviceAccountName;
    },
  };
}

/** Upstream shows internal structs where we show the API value. */
const withoutStructs = (errors: readonly string[] = []): string[] =>
  errors.map((text) => text.replace(/value: \{"[Ttm].*?\}: /i, "value: {…}: ")).sort();

describe("a created object is defaulted, or rejected, as in kube-apiserver", () => {
  it.each(observations.map((o, i) => [`${o.body.kind} ${i}`, o] as const))("%s", (_name, { body, stored, errors }) => {
    const created = create(body);
    if (stored) expect(created).toEqual({ stored });
    else expect(withoutStructs(created.errors)).toEqual(withoutStructs(errors));
  });
});

describe("tables have kube-apiserver's columns", () => {
  const named = builtinCatalogue.flatMap((entry) => {
    const strategy = builtinStrategies[groupKindKey(entry)];
    const expected = tableColumns[`${apiVersionOf(entry)}/${entry.resource}`];
    return strategy?.columns && expected ? [[entry.resource, strategy.columns, expected] as const] : [];
  });

  it.each(named)("%s", (_resource, columns, expected) => {
    const text = columns.map(
      ({ name, type, priority }) => `${name}${type === "string" ? "" : `:${type}`}${priority ? "*" : ""}`,
    );
    expect(text.join(" | ")).toBe(expected);
  });

  it("for every kind with more than the default columns", () => {
    expect(named.length).toBeGreaterThan(45);
  });
});
