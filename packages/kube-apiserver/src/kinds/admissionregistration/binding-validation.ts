import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  isPathSegmentName,
} from "@kubewright/apimachinery";
import type { AdmissionPolicyBinding, ParamRef } from "@kubewright/apiserver/admission";
import { messages, selectorErrors } from "../checks.ts";
import { matchResourcesErrors } from "./match-resources-validation.ts";

const at = fieldPath("spec");

/**
 * Returns the errors in a ValidatingAdmissionPolicyBinding.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateValidatingAdmissionPolicyBindingSpec
 */
export function validatingBindingErrors(binding: AdmissionPolicyBinding): FieldError[] {
  return [
    ...commonErrors(binding),
    ...actionErrors(binding.spec?.validationActions ?? [], at.child("validationActions")),
  ];
}

/**
 * Returns the errors in a MutatingAdmissionPolicyBinding.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateMutatingAdmissionPolicyBindingSpec
 */
export function mutatingBindingErrors(binding: AdmissionPolicyBinding): FieldError[] {
  const rules = binding.spec?.matchResources?.resourceRules ?? [];
  return [
    ...commonErrors(binding),
    ...rules.flatMap(({ operations = [] }) => deleteErrors(operations, at.child("matchResources"))),
  ];
}

const mutable = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Returns errors if a mutating policy matches deletions, because a deleted object cannot be changed. */
export function deleteErrors(operations: readonly string[], match: FieldPath): FieldError[] {
  return operations
    .filter((operation) => !mutable.includes(operation))
    .map((operation) => fieldError.notSupported(match.child("resourceRules", "operations"), operation, mutable));
}

function commonErrors({ spec = {} }: AdmissionPolicyBinding): FieldError[] {
  const { policyName = "", paramRef, matchResources } = spec;
  const name = at.child("policyName");
  return [
    ...(policyName === "" ? [fieldError.required(name)] : messages(policyName, isDns1123Subdomain(policyName), name)),
    ...(paramRef ? paramRefErrors(paramRef, at.child("paramRef")) : []),
    ...(matchResources ? matchResourcesErrors(matchResources, at.child("matchResources")) : []),
  ];
}

function paramRefErrors(ref: ParamRef, path: FieldPath): FieldError[] {
  const { name = "", selector, parameterNotFoundAction: action } = ref;
  const errors: FieldError[] = [];
  if (name !== "") errors.push(...messages(name, isPathSegmentName(name), path.child("name")));
  if (name !== "" && selector) {
    const text = "name and selector are mutually exclusive";
    errors.push(fieldError.forbidden(path.child("name"), text), fieldError.forbidden(path.child("selector"), text));
  } else if (selector) errors.push(...selectorErrors(selector, path.child("selector")));
  else if (name === "") errors.push(fieldError.required(path, "one of name or selector must be specified"));
  if (!action) errors.push(fieldError.required(path.child("parameterNotFoundAction")));
  else if (action !== "Deny" && action !== "Allow")
    errors.push({
      ...fieldError.notSupported(path.child("parameterNotFoundAction"), action, []),
      detail: 'supported values: "Deny", "Allow"',
    });
  return errors;
}

const actions = ["Audit", "Deny", "Warn"];

function actionErrors(given: readonly string[], path: FieldPath): FieldError[] {
  if (given.length === 0) return [fieldError.required(path, "at least one validation action is required")];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, action] of given.entries()) {
    if (!actions.includes(action)) errors.push(fieldError.notSupported(path.index(i), action, actions));
    if (seen.has(action)) errors.push(fieldError.duplicate(path.index(i), action));
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn"))
    errors.push(
      fieldError.invalid(
        path,
        given,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  return errors;
}
