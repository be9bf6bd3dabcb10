import {
  CelEnvironment,
  type CelProgram,
  celType,
  formatType,
  fromJson,
  isError,
  isSameType,
  objectType,
  plainType,
} from "@kubewright/cel";
import type { AuthorizationAttributes, SelectorRequirement } from "./authorizer.ts";

const text = plainType(celType.string);
const texts = plainType(celType.list(celType.string), text);
const requirement = objectType("kubernetes.SelectorRequirement", { key: text, operator: text, values: texts });
const requirements = plainType(celType.list(requirement.type), requirement);
const requestType = objectType("kubernetes.SubjectAccessReviewSpec", {
  resourceAttributes: objectType("kubernetes.ResourceAttributes", {
    namespace: text,
    verb: text,
    group: text,
    version: text,
    resource: text,
    subresource: text,
    name: text,
    fieldSelector: objectType("kubernetes.FieldSelectorAttributes", { rawSelector: text, requirements }),
    labelSelector: objectType("kubernetes.LabelSelectorAttributes", { rawSelector: text, requirements }),
  }),
  nonResourceAttributes: objectType("kubernetes.NonResourceAttributes", { path: text, verb: text }),
  user: text,
  groups: texts,
  extra: plainType(celType.map(celType.string, celType.list(celType.string)), texts),
  uid: text,
});

/**
 * Compiles a match condition, which determines whether an authorization webhook is called.
 *
 * @throws {Error} with kube-apiserver's message if the expression is not valid
 * @see apiserver pkg/authorization/cel
 */
export function compileMatchCondition(expression: string): CelProgram {
  let program: CelProgram;
  try {
    program = CelEnvironment.base
      .extend({ variables: { request: requestType.type }, types: [requestType] })
      .compile(expression);
  } catch (cause) {
    throw new Error(`compilation failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!isSameType(program.outputType, celType.bool)) throw new Error(`must evaluate to ${formatType(celType.bool)}`);
  return program;
}

/**
 * Reports whether a request meets all match conditions. If one condition is false, the result is false, even if others cannot be evaluated.
 *
 * @throws {Error} if a condition cannot be evaluated and no condition is false
 */
export function meetsConditions(conditions: readonly CelProgram[], attributes: AuthorizationAttributes): boolean {
  if (conditions.length === 0) return true;
  const request = fromJson(requestOf(attributes), requestType);
  const problems: string[] = [];
  for (const program of conditions) {
    const { value } = program.evaluate({ request });
    if (value === false) return false;
    if (isError(value))
      problems.push(`cel evaluation error: expression '${program.expression}' resulted in error: ${value.message}`);
  }
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
  return true;
}

/** Returns the value of the variable `request`, including empty fields. */
function requestOf(attributes: AuthorizationAttributes): Record<string, unknown> {
  const { user, isResourceRequest, verb, path } = attributes;
  const { name, uid = "", groups, extra = {} } = user;
  return {
    user: name,
    groups,
    uid,
    extra,
    ...(isResourceRequest ? { resourceAttributes: resourceOf(attributes) } : { nonResourceAttributes: { path, verb } }),
  };
}

function resourceOf(attributes: AuthorizationAttributes): Record<string, unknown> {
  const { namespace, verb, group, version, resource, subresource, name, fieldSelector, labelSelector } = attributes;
  const selector = (member: string, list: readonly SelectorRequirement[] | undefined): Record<string, unknown> =>
    list?.length ? { [member]: { requirements: list } } : {};
  return {
    namespace,
    verb,
    group,
    version,
    resource,
    subresource,
    name,
    ...selector("fieldSelector", fieldSelector),
    ...selector("labelSelector", labelSelector),
  };
}
