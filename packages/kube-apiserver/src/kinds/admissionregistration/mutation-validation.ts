import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import type { Mutation } from "@kubewright/apiserver/admission";
import { type ExpressionScope, patchTypes } from "@kubewright/apiserver/admission";

const sorts = [
  { type: "ApplyConfiguration", field: "applyConfiguration", other: "jsonPatch" },
  { type: "JSONPatch", field: "jsonPatch", other: "applyConfiguration" },
] as const;

/**
 * Returns the errors in a policy's mutation.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateMutation
 */
export function mutationErrors(
  mutation: Mutation,
  scope: ExpressionScope,
  at: FieldPath,
  unchanged: ReadonlySet<string>,
): FieldError[] {
  const { patchType = "" } = mutation;
  const sort = sorts.find(({ type }) => type === patchType);
  const place = at.child("patchType");
  if (patchType === "") return [fieldError.required(place)];
  if (!sort)
    return [
      fieldError.notSupported(
        place,
        patchType,
        sorts.map(({ type }) => type),
      ),
    ];
  const { field, other } = sort;
  const errors: FieldError[] = [];
  const given = mutation[field];
  if (!given) errors.push(fieldError.required(at.child(field), `must be specified when patchType is ${patchType}`));
  else errors.push(...expressionErrors(given.expression ?? "", field, scope, at.child(field, "expression"), unchanged));
  if (mutation[other])
    errors.push(
      fieldError.invalid(at.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`),
    );
  return errors;
}

function expressionErrors(
  expression: string,
  field: keyof typeof patchTypes,
  scope: ExpressionScope,
  at: FieldPath,
  unchanged: ReadonlySet<string>,
): FieldError[] {
  if (expression.trim() === "") return [fieldError.required(at)];
  if (unchanged.has(expression)) return [];
  const { error } = scope.compile(expression, [patchTypes[field]]);
  return error === undefined ? [] : [fieldError.invalid(at, expression, error)];
}
