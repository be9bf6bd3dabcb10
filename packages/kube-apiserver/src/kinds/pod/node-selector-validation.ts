import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Subdomain,
  isLabelValue,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages } from "../checks.ts";

interface Requirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export interface NodeSelectorTerm {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

export interface NodeSelector {
  nodeSelectorTerms?: NodeSelectorTerm[];
}

/** Returns the errors in a node selector. @see pkg/apis/core/validation ValidateNodeSelector */
export function nodeSelectorErrors({ nodeSelectorTerms = [] }: NodeSelector, at: FieldPath): FieldError[] {
  const path = at.child("nodeSelectorTerms");
  if (nodeSelectorTerms.length === 0) return [fieldError.required(path, "must have at least one node selector term")];
  return nodeSelectorTerms.flatMap((term, i) => nodeSelectorTermErrors(term, path.index(i)));
}

/** Returns the errors in a node selector term. @see pkg/apis/core/validation ValidateNodeSelectorTerm */
export function nodeSelectorTermErrors(term: NodeSelectorTerm, at: FieldPath): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((each, i) => labelErrors(each, at.child("matchExpressions").index(i))),
    ...(term.matchFields ?? []).flatMap((each, i) => fieldErrors(each, at.child("matchFields").index(i))),
  ];
}

function labelErrors({ key = "", operator = "", values = [] }: Requirement, at: FieldPath): FieldError[] {
  const path = at.child("values");
  const operatorErrors = (): FieldError[] => {
    switch (operator) {
      case "In":
      case "NotIn":
        return values.length > 0
          ? []
          : [fieldError.required(path, "must be specified when `operator` is 'In' or 'NotIn'")];
      case "Exists":
      case "DoesNotExist":
        return values.length === 0
          ? []
          : [fieldError.forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
      case "Gt":
      case "Lt":
        return values.length === 1
          ? []
          : [fieldError.required(path, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
      default:
        return [fieldError.invalid(at.child("operator"), operator, "not a valid selector operator")];
    }
  };
  return [
    ...operatorErrors(),
    ...messages(key, validateQualifiedName(key), at.child("key")),
    ...values.flatMap((value, i) => messages(value, isLabelValue(value), path.index(i))),
  ];
}

function fieldErrors({ key = "", operator = "", values = [] }: Requirement, at: FieldPath): FieldError[] {
  const path = at.child("values");
  const isKnown = operator === "In" || operator === "NotIn";
  const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isKnown ? [] : [fieldError.invalid(at.child("operator"), operator, "not a valid selector operator")]),
    ...(isKnown && values.length !== 1 ? [fieldError.required(path, one)] : []),
    ...(key === "metadata.name"
      ? values.flatMap((value, i) => messages(value, isDns1123Subdomain(value), path.index(i)))
      : [fieldError.invalid(at.child("key"), key, "not a valid field selector key")]),
  ];
}
