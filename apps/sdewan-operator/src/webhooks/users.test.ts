import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { apiKinds } from "../kinds/api-kinds.ts";
import { grants, permissionAnnotation } from "./bucket-grant.ts";
import { matchesPattern } from "./pattern.ts";

interface RoleOrBinding {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly rules?: readonly { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
}

const users = fileURLToPath(new URL("../../users/", import.meta.url));
const objects = readdirSync(users).flatMap((file) =>
  parseAllDocuments(readFileSync(users + file, "utf8")).map((document) => document.toJS() as RoleOrBinding),
);
const roles = objects.filter(({ rules }) => rules);
const plurals = apiKinds.map(({ plural }) => plural);

describe.each(roles.map((role) => [role.metadata.name, role] as const))("%s", (_name, { metadata, rules = [] }) => {
  const annotation = metadata.annotations?.[permissionAnnotation];
  const buckets: Readonly<Record<string, readonly string[]>> = JSON.parse(annotation ?? "{}");

  it("grants through RBAC exactly the kinds whose buckets it grants", () => {
    expect(rules.flatMap(({ apiGroups }) => apiGroups)).toEqual(rules.map(() => apiKinds[0]?.group));
    const granted = plurals.filter((plural) =>
      Object.values(buckets)
        .flat()
        .some((bucket) => grants(annotation, plural, bucket)),
    );
    expect(rules.flatMap(({ resources }) => resources).toSorted()).toEqual(granted.toSorted());
  });

  it("has no pattern that matches no kind", () => {
    const dead = Object.keys(buckets).filter((pattern) => !plurals.some((plural) => matchesPattern(pattern, plural)));
    expect(dead).toEqual([]);
  });
});

it("binds existing roles", () => {
  const names = new Set(roles.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const bound = objects.flatMap(({ roleRef }) => (roleRef ? [`${roleRef.kind} ${roleRef.name}`] : []));
  expect(bound.length).toBeGreaterThan(0);
  expect(bound.filter((name) => !names.has(name))).toEqual([]);
});
