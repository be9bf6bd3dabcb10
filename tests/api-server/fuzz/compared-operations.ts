import fc from "fast-check";
import { type ComparedRequest, currentVersion, identified } from "./compared-requests.ts";
import { changed, places, valueAt } from "./one-thing-wrong.ts";
import { templates } from "./templates/all-templates.ts";
import type { Template } from "./templates/template.ts";

const chosen = process.env.FUZZ_ONLY
  ? templates.filter(({ collection }) => new RegExp(process.env.FUZZ_ONLY ?? "").test(collection))
  : templates;
const template = fc.constantFrom(...chosen);
const one = ({ collection, object }: Template): string => `${collection}/${object.metadata.name}`;

const request = (
  method: string,
  path: string,
  query: Readonly<Record<string, string>>,
  contentType = "json",
  body: unknown = undefined,
): ComparedRequest => ({
  method,
  path: `${path}?${new URLSearchParams(query)}`,
  contentType: `application/${contentType}`,
  body: body === undefined ? "" : JSON.stringify(body),
  change: `${new URLSearchParams(query)} ${JSON.stringify(body)?.slice(0, 120) ?? ""}`,
});

/** Some of the members, each with one of a few values. */
const some = (members: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<Record<string, string>> =>
  fc
    .record(Object.fromEntries(Object.entries(members).map(([name, values]) => [name, fc.constantFrom(...values)])), {
      requiredKeys: [],
    })
    .map((given) =>
      Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    );

const selection = {
  labelSelector: [
    "a=b",
    "a",
    "!a",
    "a=b,a!=c",
    "a in (b,c)",
    "a notin (b)",
    "a=b=c",
    "a in (",
    "é",
    "a=é",
    "=b",
    "a>1",
    "-",
  ],
  fieldSelector: [
    "metadata.name=p",
    "metadata.name!=p",
    "metadata.namespace=default",
    "spec.nope=x",
    "status.phase=Pending",
    "metadata.name",
    "metadata.name=a,metadata.name=b",
    "spec.nodeName=",
    "type=Opaque",
  ],
};
const consistency = {
  resourceVersion: ["0", "1", "x", "-1", "99999999999"],
  resourceVersionMatch: ["Exact", "NotOlderThan", "Nope"],
  limit: ["1", "0", "-1", "x", "1000"],
  continue: ["x", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0"],
};

const lists = fc
  .record({
    of: template,
    query: some({
      ...selection,
      resourceVersion: ["0", "x", "-1"],
      resourceVersionMatch: ["Exact", "NotOlderThan", "Nope"],
      limit: ["0", "-1", "x", "1000"],
      continue: ["x"],
    }),
  })
  .map(({ of, query }) => request("GET", of.collection, { labelSelector: "a=b", ...query }));

const watches = fc
  .record({
    of: template,
    query: some({
      ...consistency,
      sendInitialEvents: ["true", "false", "x"],
      allowWatchBookmarks: ["true", "x"],
      fieldSelector: selection.fieldSelector,
    }),
  })
  .map(({ of, query }) =>
    request("GET", of.collection, { ...query, labelSelector: "nobody=has", watch: "1", timeoutSeconds: "1" }),
  );

const deletions = fc
  .record({
    of: template,
    query: some({
      propagationPolicy: ["Orphan", "Background", "Foreground", "Nope"],
      gracePeriodSeconds: ["0", "30", "-1", "x"],
      orphanDependents: ["true", "x"],
      fieldSelector: ["metadata.name=nobody", "spec.nope=x"],
    }),
    body: fc.constantFrom<unknown>(
      undefined,
      {},
      { kind: "DeleteOptions", apiVersion: "v1", preconditions: { resourceVersion: currentVersion } },
      { preconditions: { resourceVersion: "1" } },
      { preconditions: { uid: "nobody" } },
      { preconditions: { uid: 1 } },
      { propagationPolicy: "Nope" },
      { propagationPolicy: "Orphan", orphanDependents: true },
      { gracePeriodSeconds: -5 },
      { dryRun: ["Nope"] },
      { unknownField: 1 },
      { kind: "Pod", apiVersion: "v1" },
    ),
    whole: fc.constantFrom(true, false, false),
  })
  .map(({ of, query, body, whole }) =>
    request(
      "DELETE",
      whole ? of.collection : one(of),
      { ...query, dryRun: "All", ...(whole ? { labelSelector: "a=b,a!=b" } : {}) },
      "json",
      // with a body, the query is ignored
      typeof body === "object" ? { dryRun: ["All"], ...body } : body,
    ),
  );

const pointer = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const jsonPatches = template.chain((of) => {
  const known = places(of.object).filter((path) => path.length > 0);
  const place = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(["nope"], ["metadata", "labels", "new"], ["spec", "-"], ["metadata"]) },
  );
  const operation = fc
    .record({
      op: fc.constantFrom("test", "test", "copy", "move", "add", "remove", "replace"),
      path: place,
      from: place,
      same: fc.boolean(),
    })
    .map(({ op, path, from, same }) => {
      const value = same ? (valueAt(of.object, path) ?? null) : "x";
      if (op === "copy" || op === "move") return { op, from: pointer(from), path: pointer(path) };
      return op === "remove" ? { op, path: pointer(path) } : { op, path: pointer(path), value };
    });
  return fc
    .array(operation, { minLength: 1, maxLength: 2 })
    .map((operations) =>
      request("PATCH", one(of), { dryRun: "All", fieldManager: "fuzz" }, "json-patch+json", operations),
    );
});

/** Directives of strategic merge patches for lists and maps. */
const strategicPatches = template.chain((of) => {
  const known = places(of.object).filter(
    (path) =>
      path.length > 0 && typeof valueAt(of.object, path) === "object" && !path.some((step) => /^\d+$/.test(step)),
  );
  const directive = fc.constantFrom("replace", "delete", "merge", "retain", "primitive", "order", "nope");
  return fc.record({ path: fc.constantFrom(...known), directive }).map(({ path, directive: what }) => {
    const value = valueAt(of.object, path);
    const name = path.at(-1) ?? "";
    const inner = (): unknown => {
      if (Array.isArray(value)) {
        const [first] = value as unknown[];
        if (what === "primitive") return { [`$deleteFromPrimitiveList/${name}`]: [first] };
        if (what === "order") return { [`$setElementOrder/${name}`]: [first], [name]: value };
        const item = typeof first === "object" ? { ...first, $patch: what } : first;
        return { [name]: [item] };
      }
      if (what === "retain")
        return { [name]: { ...(value as object), $retainKeys: Object.keys(value as object).slice(0, 1) } };
      return { [name]: { $patch: what, ...(what === "replace" ? (value as object) : {}) } };
    };
    const body = path.slice(0, -1).reduceRight<unknown>((within, key) => ({ [key]: within }), inner());
    return request("PATCH", one(of), { dryRun: "All", fieldManager: "fuzz" }, "strategic-merge-patch+json", body);
  });
});

/** Another manager applies a part of the object, or another value. */
const applies = template.chain((of) => {
  const known = places(of.object).filter((path) => path.length > 1 && path[0] !== "metadata");
  return fc
    .record({
      path: fc.constantFrom(...(known.length > 0 ? known : [["metadata", "labels"]])),
      to: fc.constantFrom("keep", "drop", "other"),
      query: some({
        force: ["true", "false"],
        fieldValidation: ["Strict", "Warn"],
        fieldManager: ["other", "fuzz", ""],
      }),
      named: fc.constantFrom(true, true, true, false),
    })
    .map(({ path, to, query, named }) => {
      const value = valueAt(of.object, path);
      const other = typeof value === "number" ? value + 1 : typeof value === "boolean" ? !value : "other";
      const object = to === "keep" ? of.object : changed(of.object, path, to === "drop" ? undefined : other);
      const body = identified(of, named ? object : changed(object, ["metadata", "name"], undefined));
      return request("PATCH", one(of), { fieldManager: "other", ...query, dryRun: "All" }, "apply-patch+yaml", body);
    });
});

const scalable = chosen.filter(({ collection }) =>
  /\/(deployments|replicasets|statefulsets|replicationcontrollers|sites|pods)$/.test(collection),
);
const scales = fc
  .record({
    of: fc.constantFrom(...(scalable.length > 0 ? scalable : chosen)),
    method: fc.constantFrom("GET", "PUT", "PATCH", "POST"),
    replicas: fc.constantFrom<unknown>(0, 1, 5, -1, "2", null, 1.5, 2 ** 31),
    version: fc.constantFrom(undefined, currentVersion, "1", "x"),
    type: fc.constantFrom("merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"),
    named: fc.constantFrom(true, true, false),
  })
  .map(({ of, method, replicas, version, type, named }) => {
    const metadata = {
      ...(named ? { name: of.object.metadata.name, namespace: "default" } : {}),
      ...(version ? { resourceVersion: version } : {}),
    };
    const scale = { kind: "Scale", apiVersion: "autoscaling/v1", metadata, spec: { replicas } };
    const body =
      method === "GET" ? undefined : method === "PATCH" && !/apply/.test(type) ? { spec: { replicas } } : scale;
    return request(
      method,
      `${one(of)}/scale`,
      { dryRun: "All", fieldManager: "fuzz" },
      method === "PATCH" ? type : "json",
      body,
    );
  });

/** Errors around a valid object. */
const around = fc
  .record({
    of: template,
    method: fc.constantFrom("POST", "PUT", "PUT"),
    metadata: fc.constantFrom<Record<string, unknown>>(
      { resourceVersion: "1" },
      { resourceVersion: "x" },
      { resourceVersion: "" },
      { resourceVersion: currentVersion, uid: "nobody" },
      { name: "other" },
      { name: "" },
      { namespace: "other" },
      { generateName: "g-", name: "" },
      { generateName: "G_", name: "" },
      { selfLink: "/x", generation: 7, creationTimestamp: "2020-01-01T00:00:00Z" },
      { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 },
      { managedFields: [] },
      { managedFields: [{}] },
      { managedFields: [{ manager: "m", operation: "Nope", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }] },
      { finalizers: ["nope"] },
      { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p" }] },
    ),
    query: some({
      fieldValidation: ["Strict", "Warn", "Ignore", "Nope"],
      fieldManager: ["fuzz", "", "é", "x".repeat(129), "a\nb"],
      pretty: ["true"],
    }),
    dryRun: fc.constantFrom("All", "All", "All", "All", "Nope"),
  })
  .map(({ of, method, metadata, query, dryRun }) => {
    const fresh = method === "POST" ? { name: `${of.object.metadata.name}-new` } : {};
    const object = { ...of.object, metadata: { ...of.object.metadata, ...fresh, ...metadata } };
    return request(method, method === "POST" ? of.collection : one(of), { ...query, dryRun }, "json", object);
  });

/** Requests about everything except the content of an object. None of them changes anything. */
export const comparedOperation: fc.Arbitrary<ComparedRequest> = fc.oneof(
  { weight: 3, arbitrary: lists },
  { weight: 1, arbitrary: watches },
  { weight: 2, arbitrary: deletions },
  { weight: 4, arbitrary: jsonPatches },
  { weight: 4, arbitrary: strategicPatches },
  { weight: 5, arbitrary: applies },
  { weight: 1, arbitrary: scales },
  { weight: 4, arbitrary: around },
);
