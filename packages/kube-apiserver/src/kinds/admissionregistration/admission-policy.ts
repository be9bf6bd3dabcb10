import { type FieldError, fieldError, fieldPath, validateQualifiedName } from "@kubewright/apimachinery";
import type { AdmissionPolicy, AdmissionPolicyBinding, MatchResources } from "@kubewright/apiserver/admission";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { deleteErrors, mutatingBindingErrors, validatingBindingErrors } from "./binding-validation.ts";
import { mutatingPolicyErrors, validatingPolicyErrors } from "./policy-validation.ts";

function applyMatchDefaults(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= "*";
}

function paramKindCell({ spec }: AdmissionPolicy): string {
  const { apiVersion = "", kind = "" } = spec?.paramKind ?? {};
  return spec?.paramKind ? `${apiVersion}/${kind}` : "<unset>";
}

const policy = (
  what: "validations" | "mutations",
  title: string,
  validate: (policy: AdmissionPolicy, old?: AdmissionPolicy) => FieldError[],
) =>
  defineStrategy<AdmissionPolicy>({
    statusIgnoresMetadata: "all",
    validate: (object) => validate(object),
    validateUpdate: (object, old) => validate(object, old as AdmissionPolicy),
    validateStatusUpdate: statusErrors,
    prepareForCreate(object) {
      if (what === "validations") object.status = {};
    },
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    applyDefaults({ spec }) {
      if (!spec) return;
      spec.failurePolicy ??= "Fail";
      applyMatchDefaults(spec.matchConstraints);
    },
    columns: [
      nameColumn,
      column(title, ({ spec }) => spec?.[what]?.length ?? 0, { type: "integer" }),
      column("ParamKind", paramKindCell),
      ageColumn,
    ],
  });

/** Strategy for ValidatingAdmissionPolicies. @see pkg/registry/admissionregistration/validatingadmissionpolicy strategy.go */
export const validatingAdmissionPolicyStrategy = policy("validations", "Validations", validatingPolicyErrors);
/** Strategy for MutatingAdmissionPolicies. @see pkg/registry/admissionregistration/mutatingadmissionpolicy strategy.go */
export const mutatingAdmissionPolicyStrategy = policy("mutations", "Mutations", (object, old) => [
  ...mutatingPolicyErrors(object, old),
  ...(object.spec?.matchConstraints?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    deleteErrors(operations, fieldPath("spec", "matchConstraints")),
  ),
]);

const binding = (validate: (binding: AdmissionPolicyBinding) => FieldError[]) =>
  defineStrategy<AdmissionPolicyBinding>({
    validate: (object) => validate(object),
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    applyDefaults({ spec }) {
      applyMatchDefaults(spec?.matchResources);
    },
    columns: [
      nameColumn,
      column("PolicyName", ({ spec }) => spec?.policyName ?? ""),
      column("ParamRef", ({ spec }) => {
        const { name = "*", namespace } = spec?.paramRef ?? {};
        return spec?.paramRef ? `${namespace ? `${namespace}/` : ""}${name}` : "<unset>";
      }),
      ageColumn,
    ],
  });

/** Strategy for ValidatingAdmissionPolicyBindings. @see pkg/registry/admissionregistration/validatingadmissionpolicybinding strategy.go */
export const validatingAdmissionPolicyBindingStrategy = {
  ...binding(validatingBindingErrors),
  declaredFields: ["spec.policyName", "spec.validationActions"],
};
/** Strategy for MutatingAdmissionPolicyBindings. @see pkg/registry/admissionregistration/mutatingadmissionpolicybinding strategy.go */
export const mutatingAdmissionPolicyBindingStrategy = binding(mutatingBindingErrors);

function statusErrors({ status }: AdmissionPolicy): FieldError[] {
  const at = fieldPath("status");
  const warnings = (status?.typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef = "", warning = "" }, i) => {
    const path = at.child("typeChecking", "expressionWarnings").index(i);
    return [
      ...(warning === "" ? [fieldError.required(path.child("warning"))] : []),
      ...(fieldRef === "" ? [fieldError.required(path.child("fieldRef"))] : []),
    ];
  });
  const conditions = (status?.conditions ?? []).flatMap(
    ({ type = "", reason = "", status: state, lastTransitionTime }, i) => {
      const path = at.child("conditions").index(i);
      return [
        ...messages(type, validateQualifiedName(type), path.child("type")),
        ...(["True", "False", "Unknown"].includes(state)
          ? []
          : [fieldError.notSupported(path.child("status"), state, ["False", "True", "Unknown"])]),
        ...(lastTransitionTime ? [] : [fieldError.required(path.child("lastTransitionTime"))]),
        ...(reason === "" ? [fieldError.required(path.child("reason"))] : []),
      ];
    },
  );
  return [...warnings, ...conditions];
}
