import { type FieldError, fieldErrorMessage } from "@kubewright/apimachinery";
import type { ServedResource } from "./resource.ts";

/**
 * Returns errors in the form in which upstream's declarative validation reports them. For built-in kinds, each error
 * occurs only once. Errors in fields with declarative rules come last, and do not explain why a value is required or
 * forbidden.
 *
 * @see apiserver pkg/registry/rest ValidateDeclarativelyWithMigrationChecks
 */
export function afterDeclaredValidation(resource: ServedResource, errors: readonly FieldError[]): FieldError[] {
  if (!isDeclared(resource) || errors.length === 0) return [...errors];
  const fields = new Set(resource.strategy.declaredFields);
  const isOfDeclared = (error: FieldError): boolean => isDeclaredRule(error) && fields.has(ruledField(error));
  const declared = errors.filter(isOfDeclared).map(withoutReason);
  const keyOf = messageKeys();
  const distinct = new Map(
    [...errors.filter((error) => !isOfDeclared(error)), ...declared].map((error) => [keyOf(error), error]),
  );
  return [...distinct.values()];
}

/**
 * Returns a function whose results are equal for errors with equal messages. It formats each value once, because
 * thousands of errors can refer to the same list, such as a list of owners with several controllers.
 */
function messageKeys(): (error: FieldError) => string {
  const ofValues = new Map<object, number>();
  const ofTexts = new Map<string, number>();
  return (error) => {
    const { type, field, detail, badValue } = error;
    if (typeof badValue !== "object" || badValue === null) return fieldErrorMessage(error);
    let id = ofValues.get(badValue);
    if (id === undefined) {
      const text = fieldErrorMessage({ type: "FieldValueInvalid", field: "", badValue, detail: "" });
      id = ofTexts.get(text) ?? ofTexts.size;
      ofTexts.set(text, id);
      ofValues.set(badValue, id);
    }
    return JSON.stringify([type, id, field, detail]);
  };
}

/** Reports whether upstream validates a kind declaratively: all built-in kinds except CustomResourceDefinitions and APIServices. */
export const isDeclared = ({ origin, group }: Pick<ServedResource, "origin" | "group">): boolean =>
  origin === "builtin" && group !== "apiextensions.k8s.io" && group !== "apiregistration.k8s.io";

/** Reports whether upstream can declare a rule. Errors of rules that compare several fields do not come from a declaration. */
const isDeclaredRule = ({ type, detail }: FieldError): boolean =>
  type !== "FieldValueInvalid" || /^field is immutable$|^must be greater than or equal to \d+$/.test(detail);

/** Returns the field whose rule an error violates, without indices. For a repeated item, this is the list. */
function ruledField({ type, field }: FieldError): string {
  const path = field.replaceAll(/\[\d+\]/g, "[]");
  return type === "FieldValueDuplicate" ? path.replace(/\[\]$/, "") : path;
}

const withoutReason = (error: FieldError): FieldError =>
  error.type === "FieldValueRequired" || error.type === "FieldValueForbidden" ? { ...error, detail: "" } : error;
