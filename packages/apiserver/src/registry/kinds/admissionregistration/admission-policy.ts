import type { KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface MatchResources {
  matchPolicy?: string;
  namespaceSelector?: LabelSelectorSpec;
  objectSelector?: LabelSelectorSpec;
  resourceRules?: { scope?: string }[];
  excludeResourceRules?: { scope?: string }[];
}

interface AdmissionPolicy extends KubeObject {
  spec?: {
    failurePolicy?: string;
    matchConstraints?: MatchResources;
    paramKind?: { apiVersion?: string; kind?: string };
    validations?: unknown[];
    mutations?: unknown[];
  };
  status?: Record<string, never>;
}

interface AdmissionPolicyBinding extends KubeObject {
  spec?: {
    policyName?: string;
    paramRef?: { name?: string; namespace?: string };
    matchResources?: MatchResources;
  };
}

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

const policy = (what: "validations" | "mutations", title: string) =>
  defineStrategy<AdmissionPolicy>({
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

/** @see pkg/registry/admissionregistration/validatingadmissionpolicy strategy.go */
export const validatingAdmissionPolicyStrategy = policy("validations", "Validations");
/** @see pkg/registry/admissionregistration/mutatingadmissionpolicy strategy.go */
export const mutatingAdmissionPolicyStrategy = policy("mutations", "Mutations");

/** Of both sorts. @see pkg/registry/admissionregistration/validatingadmissionpolicybinding strategy.go */
export const admissionPolicyBindingStrategy = defineStrategy<AdmissionPolicyBinding>({
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
