import { type FieldError, type FieldPath, fieldError, validateQualifiedName } from "@kubewright/apimachinery";
import type { ExpressionScope, MatchCondition } from "@kubewright/apiserver/admission";
import { celType } from "@kubewright/cel";

const most = 64;

/**
 * Returns the errors in match conditions.
 *
 * @param unchanged stored expressions. They count as valid and are not compiled again, because they may use an older
 * version of the language
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateMatchConditions
 */
export function matchConditionErrors(
  conditions: readonly MatchCondition[],
  scope: ExpressionScope,
  at: FieldPath,
  unchanged: ReadonlySet<string> = new Set(),
): FieldError[] {
  if (conditions.length > most) return [fieldError.tooMany(at, conditions.length, most)];
  const names = new Set<string>();
  return conditions.flatMap(({ name = "", expression = "" }, i) => {
    const path = at.index(i);
    const errors: FieldError[] = [];
    if (expression.trim() === "") errors.push(fieldError.required(path.child("expression")));
    else if (!unchanged.has(expression)) {
      const { error } = scope.compile(expression, [celType.bool]);
      if (error !== undefined) errors.push(fieldError.invalid(path.child("expression"), expression, error));
    }
    if (name === "") errors.push(fieldError.required(path.child("name")));
    else
      for (const text of validateQualifiedName(name)) errors.push(fieldError.invalid(path.child("name"), name, text));
    if (name !== "" && names.has(name)) errors.push(fieldError.duplicate(path.child("name"), name));
    names.add(name);
    return errors;
  });
}
