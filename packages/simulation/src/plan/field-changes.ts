import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, isRecord, type KubeObject } from "@kubewright/apimachinery";
import type { FieldChange } from "./plan-report.ts";

/** Fields of the metadata that the API server sets. */
const assigned: ReadonlySet<string> = new Set([
  "resourceVersion",
  "uid",
  "generation",
  "managedFields",
  "creationTimestamp",
  "selfLink",
]);

/** Fields that change together with others, and are not shown next to these. */
const accompanying = /(^|\.)(observedGeneration|lastTransitionTime)$/;

/** Maximum number of fields of one object. */
const maxFields = 1_000;

/** Returns the fields in which two states of an object differ, except fields that the API server sets. Values in Secrets are omitted. */
export function fieldChanges(before: DeepReadonly<KubeObject>, after: DeepReadonly<KubeObject>): FieldChange[] {
  const found: FieldChange[] = [];
  compare(visible(before), visible(after), "", found);
  const shown = found.filter(({ path }) => !accompanying.test(path));
  const fields = (shown.length > 0 ? shown : found).slice(0, maxFields);
  const isSecret = after.kind === "Secret" && after.apiVersion === "v1";
  return isSecret ? fields.map((each) => (isSecretPath(each.path) ? { path: each.path } : each)) : fields;
}

const isSecretPath = (path: string): boolean => /^(data|stringData|metadata\.annotations)\b/.test(path);

function visible({ metadata, ...rest }: DeepReadonly<KubeObject>): Readonly<Record<string, unknown>> {
  const kept = Object.entries(metadata).filter(([name]) => !assigned.has(name));
  const { apiVersion: _, kind: __, ...fields } = rest;
  return { metadata: Object.fromEntries(kept), ...fields };
}

function compare(before: unknown, after: unknown, path: string, found: FieldChange[]): void {
  if (isDeepStrictEqual(before, after) || found.length >= maxFields) return;
  if (isRecord(before) && isRecord(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(before[name], after[name], joined(path, name), found);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const name = ["name", "type", "key"].find((each) => isNamed(before, each) && isNamed(after, each));
    if (name !== undefined) {
      const [old, now] = [byName(before, name), byName(after, name)];
      for (const key of new Set([...old.keys(), ...now.keys()]))
        compare(old.get(key), now.get(key), `${path}[${key}]`, found);
      if (isDeepStrictEqual([...old.keys()].toSorted(), [...now.keys()].toSorted()) && found.length === 0)
        found.push({ path, from: [...old.keys()], to: [...now.keys()] }); // only the order differs
      return;
    }
    if (before.length === after.length && before.every(isRecord) && after.every(isRecord)) {
      for (const [index, item] of before.entries()) compare(item, after[index], `${path}[${index}]`, found);
      return;
    }
  }
  found.push({
    path,
    ...(before === undefined ? {} : { from: before }),
    ...(after === undefined ? {} : { to: after }),
  });
}

/** Appends a name to a path. Names with dots, such as those of labels, are put in brackets. */
const joined = (path: string, name: string): string =>
  /[.[\]]/.test(name) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;

/** Reports whether each item of a list has a different name. */
function isNamed(items: readonly unknown[], name: string): boolean {
  const names = items.map((item) => (isRecord(item) ? item[name] : undefined));
  return names.every((each) => typeof each === "string") && new Set(names).size === names.length;
}

const byName = (items: readonly unknown[], name: string): Map<string, unknown> =>
  new Map(items.map((item) => [isRecord(item) ? String(item[name]) : "", item]));
