import { type FieldError, fieldError, fieldPath } from "@kubewright/apimachinery";

export interface Condition {
  type?: string;
  status?: string;
}

/** Returns an error for each condition whose type is missing or occurs more than once. */
export function conditionErrors(conditions: readonly Condition[] = []): FieldError[] {
  const at = fieldPath("status", "conditions");
  const seen = new Set<string>();
  return conditions.flatMap(({ type = "" }, i) => {
    const path = at.index(i).child("type");
    const errors: FieldError[] = seen.has(type) ? [fieldError.duplicate(path, type)] : [];
    seen.add(type);
    return type === "" ? [...errors, fieldError.required(path)] : errors;
  });
}
