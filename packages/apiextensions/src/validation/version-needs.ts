import { kubernetesVersion } from "@kubewright/apimachinery";
import { CelEnvironment } from "@kubewright/cel";
import type { DefinitionVersion, JsonSchema } from "../definition/definition.ts";
import { type CompiledRule, compileRules } from "../rules/compiled-rule.ts";
import { readDefinition } from "./judge-definition.ts";

/** A part of a CRD that older servers reject or ignore. */
export interface VersionNeed {
  /** Version and field, such as `v1 spec.ports[].address`. */
  readonly path: string;
  /** Value of the field, such as the text of a rule. */
  readonly value: string;
  /** First minor version of Kubernetes 1 that supports the value. */
  readonly minor: number;
  /** True if older servers reject the CRD, false if they ignore the value. */
  readonly isRejected: boolean;
  /** Reason and remedy. */
  readonly message: string;
}

/** Formats that servers ignore before a minor version. @see apiextensions-apiserver pkg/apiserver/validation supportedVersionedFormats */
const formatsSince: ReadonlyMap<string, number> = new Map([
  ["k8s-short-name", 35],
  ["k8s-long-name", 35],
]);

/** First minor version with the feature gate CustomResourceFieldSelectors. @see apiextensions-apiserver pkg/features */
const selectableFieldsSince = 31;

const newest = Number(kubernetesVersion.split(".")[1]);

/**
 * Returns those parts of a valid CRD that kube-apiserver 1.`minor` rejects or ignores, although the mirrored version
 * supports them. The result is exact for 1.30 and later.
 */
export function versionNeeds(definition: unknown, minor: number): VersionNeed[] {
  const read = readDefinition(definition);
  if (typeof read === "string") return [];
  return read.spec.versions.flatMap((version) => [
    ...selectableFieldNeeds(version, minor),
    ...schemaNeeds({ version: version.name, minor }, version.schema?.openAPIV3Schema ?? {}, "", true),
  ]);
}

function selectableFieldNeeds({ name, selectableFields = [] }: DefinitionVersion, minor: number): VersionNeed[] {
  if (minor >= selectableFieldsSince) return [];
  return selectableFields.map(({ jsonPath }) => ({
    path: `${name} selectableFields`,
    value: jsonPath,
    minor: selectableFieldsSince,
    isRejected: false,
    message: "select objects by a label, or by an index of the cache",
  }));
}

interface Target {
  /** Version of the CRD. */
  readonly version: string;
  readonly minor: number;
}

function schemaNeeds(target: Target, schema: JsonSchema, path: string, isResource: boolean): VersionNeed[] {
  const { properties = {}, items, additionalProperties: extra, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const inner = (child: JsonSchema, at: string): VersionNeed[] =>
    schemaNeeds(target, child, at, child["x-kubernetes-embedded-resource"] ?? false);
  return [
    ...formatNeeds(target, schema, path),
    ...ruleNeeds(target, schema, path, isResource),
    ...Object.entries(properties).flatMap(([name, child]) => inner(child, path === "" ? name : `${path}.${name}`)),
    ...(items ? inner(items, `${path}[]`) : []),
    ...(typeof extra === "object" ? inner(extra, `${path}.*`) : []),
    ...[...allOf, ...anyOf, ...oneOf, ...(not ? [not] : [])].flatMap((each) => inner(each, path)),
  ];
}

const pathOf = ({ version }: Target, path: string): string => `${version} ${path || "(object)"}`;

function formatNeeds(target: Target, { format = "" }: JsonSchema, path: string): VersionNeed[] {
  const minor = formatsSince.get(format) ?? 0;
  if (minor <= target.minor) return [];
  const message = "also declare a pattern";
  return [{ path: pathOf(target, path), value: format, minor, isRejected: false, message }];
}

function ruleNeeds(target: Target, schema: JsonSchema, path: string, isResource: boolean): VersionNeed[] {
  if (!schema["x-kubernetes-validations"]) return [];
  const errorsIn = (minor: number): readonly (string | undefined)[] =>
    compileRules(schema, isResource, CelEnvironment.acceptedBy(minor))?.rules.map(errorOf) ?? [];
  const later: (readonly (string | undefined)[])[] = [];
  return errorsIn(target.minor).flatMap((error, i): VersionNeed[] => {
    if (error === undefined) return [];
    if (later.length === 0) for (let minor = target.minor + 1; minor <= newest; minor++) later.push(errorsIn(minor));
    const found = later.findIndex((errors) => errors[i] === undefined);
    if (found < 0) return [];
    const [, name] = /undeclared reference to '([^']*)'/.exec(error) ?? [];
    const message = `${name ? `${name}() with these arguments is missing` : error}; use other functions, or validate in a webhook`;
    const value = schema["x-kubernetes-validations"]?.[i]?.rule ?? "";
    return [{ path: pathOf(target, path), value, minor: target.minor + 1 + found, isRejected: true, message }];
  });
}

const errorOf = ({ error, messageError }: CompiledRule): string | undefined => error ?? messageError;
