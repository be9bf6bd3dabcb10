import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import type {
  AdmissionPolicy,
  AuditAnnotation,
  ParamKind,
  PolicySpec,
  Validation,
  Variable,
} from "@kubewright/apiserver/admission";
import { ExpressionScope } from "@kubewright/apiserver/admission";
import { celType } from "@kubewright/cel";
import { messages, oneOf } from "../checks.ts";
import { matchConditionErrors } from "./match-condition-validation.ts";
import { matchResourcesErrors } from "./match-resources-validation.ts";
import { mutationErrors } from "./mutation-validation.ts";

const at = fieldPath("spec");

/**
 * Returns the errors in a ValidatingAdmissionPolicy.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateValidatingAdmissionPolicySpec
 */
export function validatingPolicyErrors({ metadata, spec = {} }: AdmissionPolicy, old?: AdmissionPolicy): FieldError[] {
  const { validations = [], auditAnnotations = [], paramKind } = spec;
  const params = paramKind !== undefined;
  const unchanged = expressionsOf(old?.spec);
  const expressionScope = new ExpressionScope({ params, authorizer: true });
  const messageScope = new ExpressionScope({ params });
  const errors = [
    ...commonErrors(spec, unchanged),
    ...variableErrors(spec.variables, [expressionScope, messageScope], unchanged),
  ];
  if (validations.length + auditAnnotations.length === 0) {
    const text = "validations or auditAnnotations must contain at least one item";
    return [
      ...errors,
      fieldError.required(at.child("validations"), text),
      fieldError.required(at.child("auditAnnotations"), text),
    ];
  }
  for (const [i, validation] of validations.entries())
    errors.push(
      ...validationErrors(validation, { expressionScope, messageScope, unchanged }, at.child("validations").index(i)),
    );
  return [...errors, ...auditErrors(auditAnnotations, metadata.name ?? "", expressionScope, unchanged)];
}

/**
 * Returns the errors in a MutatingAdmissionPolicy.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateMutatingAdmissionPolicySpec
 */
export function mutatingPolicyErrors({ spec = {} }: AdmissionPolicy, old?: AdmissionPolicy): FieldError[] {
  const { mutations = [], reinvocationPolicy, paramKind } = spec;
  const unchanged = expressionsOf(old?.spec);
  const scope = new ExpressionScope({ params: paramKind !== undefined, authorizer: true, mutation: true });
  return [
    ...commonErrors(spec, unchanged),
    ...variableErrors(spec.variables, [scope], unchanged),
    ...(mutations.length === 0
      ? [fieldError.required(at.child("mutations"), "mutations must contain at least one item")]
      : mutations.flatMap((mutation, i) => mutationErrors(mutation, scope, at.child("mutations").index(i), unchanged))),
    ...oneOf(reinvocationPolicy, ["IfNeeded", "Never"], at.child("reinvocationPolicy")),
  ];
}

const failurePolicies = ["Fail", "Ignore"];

function commonErrors(spec: PolicySpec, unchanged: ReadonlySet<string>): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [] } = spec;
  const match = at.child("matchConstraints");
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !failurePolicies.includes(failurePolicy))
    errors.push(fieldError.notSupported(at.child("failurePolicy"), failurePolicy, failurePolicies));
  if (paramKind) errors.push(...paramKindErrors(paramKind, at.child("paramKind")));
  if (!matchConstraints) errors.push(fieldError.required(match));
  else {
    errors.push(...matchResourcesErrors(matchConstraints, match));
    if (!matchConstraints.resourceRules?.length) errors.push(fieldError.required(match.child("resourceRules")));
  }
  const scope = new ExpressionScope({ params: paramKind !== undefined, authorizer: true });
  return [...errors, ...matchConditionErrors(matchConditions, scope, at.child("matchConditions"), unchanged)];
}

function paramKindErrors({ apiVersion = "", kind = "" }: ParamKind, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const parts = apiVersion.split("/");
  const [group, version] = parts.length === 1 ? ["", parts[0] ?? ""] : [parts[0] ?? "", parts[1] ?? ""];
  const place = path.child("apiVersion");
  if (apiVersion === "") errors.push(fieldError.required(place));
  else if (parts.length > 2)
    errors.push(fieldError.invalid(place, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    if (group !== "") errors.push(...messages(group, isDns1123Subdomain(group), place));
    if (group === "" || isDns1123Subdomain(group).length === 0)
      errors.push(...messages(version, isDns1035Label(version), place));
  }
  if (kind === "") return [...errors, fieldError.required(path.child("kind"))];
  for (const text of isDns1035Label(kind.toLowerCase()))
    errors.push(
      fieldError.invalid(path.child("kind"), kind, `may have mixed case, but should otherwise match: ${text}`),
    );
  return errors;
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function variableErrors(
  variables: readonly Variable[] = [],
  scopes: readonly ExpressionScope[],
  unchanged: ReadonlySet<string>,
): FieldError[] {
  if (variables.length > 0) for (const scope of scopes) scope.declareVariables();
  return variables.flatMap(({ name = "", expression = "" }, i) => {
    const path = at.child("variables").index(i);
    const errors: FieldError[] = [];
    if (name.trim() === "") errors.push(fieldError.required(path.child("name"), "name is not specified"));
    else if (!identifier.test(name) || reserved.has(name))
      errors.push(fieldError.invalid(path.child("name"), name, "must be a valid CEL identifier"));
    if (expression.trim() === "")
      return [...errors, fieldError.required(path.child("expression"), "expression is not specified")];
    for (const scope of scopes) {
      const { program, error } = scope.compile(expression);
      if (error !== undefined && !unchanged.has(expression) && scope === scopes[0])
        errors.push(fieldError.invalid(path.child("expression"), expression, error));
      scope.addVariable(name, program?.outputType ?? celType.dyn);
    }
    return errors;
  });
}

interface ValidationScopes {
  readonly expressionScope: ExpressionScope;
  /** Variables that message expressions may use, which do not include the authorizer. */
  readonly messageScope: ExpressionScope;
  readonly unchanged: ReadonlySet<string>;
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function validationErrors(
  validation: Validation,
  { expressionScope, messageScope, unchanged }: ValidationScopes,
  path: FieldPath,
) {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  const errors: FieldError[] = [];
  const compile = (text: string, field: string, scope: ExpressionScope, type: typeof celType.bool): void => {
    const { error } = unchanged.has(text) ? {} : scope.compile(text, [type]);
    if (error !== undefined) errors.push(fieldError.invalid(path.child(field), text, error));
  };
  if (expression.trim() === "")
    errors.push(fieldError.required(path.child("expression"), "expression is not specified"));
  else compile(expression, "expression", expressionScope, celType.bool);
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(
      fieldError.invalid(path.child("messageExpression"), messageExpression, "must be non-empty if specified"),
    );
  else if (messageExpression !== "") compile(messageExpression, "messageExpression", messageScope, celType.string);
  if (message !== "" && message.trim() === "")
    errors.push(fieldError.invalid(path.child("message"), message, "must be non-empty if specified"));
  else if (message.trim().includes("\n"))
    errors.push(fieldError.invalid(path.child("message"), message, "must not contain line breaks"));
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(fieldError.notSupported(path.child("reason"), reason, reasons));
  return errors;
}

const maxAnnotations = 20;
const longestValueExpression = 5_120;

function auditErrors(
  annotations: readonly AuditAnnotation[],
  policy: string,
  scope: ExpressionScope,
  unchanged: ReadonlySet<string>,
): FieldError[] {
  const all = at.child("auditAnnotations");
  const errors: FieldError[] = [];
  if (annotations.length > maxAnnotations)
    errors.push(
      fieldError.invalid(
        all,
        annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression })),
        `must not have more than ${maxAnnotations} auditAnnotations`,
      ),
    );
  const keys = new Set<string>();
  for (const [i, { key = "", valueExpression = "" }] of annotations.entries()) {
    const path = all.index(i);
    const full = `${policy}/${key}`;
    if (policy === "") errors.push(fieldError.invalid(path.child("key"), key, "requires metadata.name be non-empty"));
    else errors.push(...messages(full, validateQualifiedName(full), path.child("key")));
    const place = path.child("valueExpression");
    if (valueExpression.trim() === "") errors.push(fieldError.required(place, "valueExpression is not specified"));
    else if (Buffer.byteLength(valueExpression) > longestValueExpression)
      errors.push(fieldError.required(place, `must not exceed ${longestValueExpression} bytes in length`));
    else if (!unchanged.has(valueExpression)) {
      const { error } = scope.compile(valueExpression, [celType.string, celType.null]);
      if (error !== undefined) errors.push(fieldError.invalid(place, valueExpression, error));
    }
    if (keys.has(key)) errors.push(fieldError.duplicate(path.child("key"), key));
    keys.add(key);
  }
  return errors;
}

/**
 * Returns the expressions in a stored policy. They count as valid without another check, even if the expression
 * language has changed since.
 */
function expressionsOf(spec: PolicySpec | undefined): ReadonlySet<string> {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [], mutations = [] } = spec ?? {};
  return new Set(
    [
      ...matchConditions.map(({ expression }) => expression),
      ...variables.map(({ expression }) => expression),
      ...validations.flatMap(({ expression, messageExpression }) => [expression, messageExpression]),
      ...auditAnnotations.map(({ valueExpression }) => valueExpression),
      ...mutations.flatMap(({ applyConfiguration, jsonPatch }) => [
        applyConfiguration?.expression,
        jsonPatch?.expression,
      ]),
    ].filter((text) => text !== undefined),
  );
}
