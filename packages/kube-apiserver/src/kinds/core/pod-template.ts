import { fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { nameColumn } from "@kubewright/apiserver/registry";
import { column, containerColumns, labelsCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { validatePodTemplate } from "../pod/pod-validation.ts";

interface PodTemplateObject extends KubeObject {
  template?: PodTemplate;
}

/** Strategy for PodTemplates. @see pkg/registry/core/podtemplate strategy.go */
export const podTemplateStrategy = defineStrategy<PodTemplateObject>({
  countsGeneration: true,
  returnDeletedObject: true,
  applyDefaults(object) {
    object.template ??= {};
    applyPodTemplateDefaults(object.template);
  },
  validate: ({ template }) => validatePodTemplate(template, fieldPath("template")),
  columns: [
    nameColumn,
    ...containerColumns<PodTemplateObject>(({ template }) => template?.spec?.containers, {}),
    column("Pod Labels", ({ template }) => labelsCell(template?.metadata?.labels)),
  ],
});
