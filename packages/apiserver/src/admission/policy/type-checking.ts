import { type GroupVersionKind, gvkKey } from "@kubewright/apimachinery";
import type { DeclType } from "@kubewright/cel";
import { celType } from "@kubewright/cel";
import { objectMetaSchema } from "@kubewright/codec/schema";
import { gvkOfResource, type ServedResource } from "../../registry/resource.ts";
import { declaredType } from "./declared-type.ts";
import { ExpressionScope } from "./expression-scope.ts";
import type { AdmissionPolicy, NamedRule, ParamKind, PolicySpec } from "./policy-types.ts";

/** Provides the types of served kinds, to check expressions against them. */
export interface TypeSource {
  all(): readonly ServedResource[];
}

/** A type error that would occur if a policy's expression were evaluated for a certain kind. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

const maxKinds = 10;

/**
 * Type-checks a policy's expressions for each kind that the policy's rules name explicitly.
 *
 * @see apiserver pkg/admission/plugin/policy/validating TypeChecker
 */
export function expressionWarnings({ spec = {} }: AdmissionPolicy, source: TypeSource): ExpressionWarning[] {
  const kinds = kindsOf(spec, source);
  const params = spec.paramKind && typeOfParams(spec.paramKind, source);
  const scopes = kinds.map(({ gvk, type }) => ({ gvk, scope: scopeFor(spec, type, params) }));
  const warnings: ExpressionWarning[] = [];
  const check = (expression: string, fieldRef: string): void => {
    const texts = scopes.flatMap(({ gvk, scope }) => {
      const error = problemOf(scope, expression);
      return error === undefined ? [] : [`${titleOf(gvk)}: ${error}\n`];
    });
    if (texts.length > 0) warnings.push({ fieldRef, warning: texts.join("") });
  };
  for (const [i, { expression = "", messageExpression = "" }] of (spec.validations ?? []).entries()) {
    check(expression, `spec.validations[${i}].expression`);
    if (messageExpression !== "") check(messageExpression, `spec.validations[${i}].messageExpression`);
  }
  return warnings;
}

const titleOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

function scopeFor(spec: PolicySpec, object: DeclType, paramsType: DeclType | undefined): ExpressionScope {
  const scope = new ExpressionScope({
    params: spec.paramKind !== undefined,
    authorizer: true,
    object,
    ...(paramsType ? { paramsType } : {}),
  });
  for (const { name = "", expression = "" } of spec.variables ?? [])
    scope.addVariable(name, scope.compile(expression).program?.outputType ?? celType.dyn);
  return scope;
}

/** Returns the type error in an expression, or `undefined` if there is none. */
function problemOf(scope: ExpressionScope, expression: string): string | undefined {
  const { error } = scope.compile(expression);
  return error?.replace(/^compilation failed: /, "");
}

interface NamedType {
  readonly gvk: GroupVersionKind;
  readonly type: DeclType;
}

/** Returns the kinds that a policy's rules name explicitly. Skips rules with a wildcard or a subresource. */
function kindsOf({ matchConstraints }: PolicySpec, source: TypeSource): NamedType[] {
  const found = new Map<string, ServedResource>();
  for (const rule of matchConstraints?.resourceRules ?? [])
    for (const resource of source.all()) {
      if (found.size < maxKinds && isNamed(rule, resource)) found.set(gvkKey(gvkOfResource(resource)), resource);
    }
  return [...found.values()].sort(byGroupVersionKind).flatMap((resource) => {
    const type = typeOfResource(resource);
    return type ? [{ gvk: gvkOfResource(resource), type }] : [];
  });
}

function byGroupVersionKind(a: ServedResource, b: ServedResource): number {
  for (const name of ["group", "version", "kind"] as const) if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1;
  return 0;
}

function isNamed({ apiGroups = [], apiVersions = [], resources = [] }: NamedRule, resource: ServedResource): boolean {
  const hasPattern = [...apiGroups, ...apiVersions, ...resources].some((text) => /[*/]/.test(text));
  return (
    !hasPattern &&
    apiGroups.includes(resource.group) &&
    apiVersions.includes(resource.version) &&
    resources.includes(resource.resource)
  );
}

function typeOfParams({ apiVersion, kind }: ParamKind, source: TypeSource): DeclType | undefined {
  const resource = source
    .all()
    .find(
      (one) => one.kind === kind && apiVersion === (one.group === "" ? one.version : `${one.group}/${one.version}`),
    );
  return resource && typeOfResource(resource);
}

const types = new WeakMap<ServedResource, { readonly type: DeclType | undefined }>();

function typeOfResource(resource: ServedResource): DeclType | undefined {
  let known = types.get(resource);
  if (!known) {
    known = { type: withMetadata(declaredType(resource.schema, resource.kind)) };
    types.set(resource, known);
  }
  return known.type;
}

/** Adds `metadata` to a type. Every object has it, although schemas of custom resources may omit it. */
function withMetadata(type: DeclType | undefined): DeclType | undefined {
  if (!type?.fields) return type;
  const metadata = declaredType(objectMetaSchema(), `${"name" in type.type ? type.type.name : ""}.metadata`);
  const text: DeclType = { type: celType.string, maxElements: -1, minSerializedSize: 0 };
  const fields = new Map(type.fields);
  for (const name of ["apiVersion", "kind"])
    if (!fields.has(name)) fields.set(name, { jsonName: name, type: text, required: false });
  if (metadata) fields.set("metadata", { jsonName: "metadata", type: metadata, required: false });
  return { ...type, fields };
}
