import {
  type FieldError,
  type FieldPath,
  fieldError,
  type LabelSelectorSpec,
  labelSelectorFrom,
} from "@kubewright/apimachinery";
import { isEmptySelector, selectorErrors, selects } from "../checks.ts";
import type { PodTemplate } from "./pod-types.ts";
import { validatePodTemplate } from "./pod-validation.ts";

interface TemplateOwner {
  readonly selector?: LabelSelectorSpec;
  readonly template?: PodTemplate;
}

const mismatch = "`selector` does not match template `labels`";

/**
 * Checks that a workload's selector exists and is not empty. `kind` is the name used for the workload in upstream's
 * message.
 */
export function requiredSelectorErrors({ selector }: TemplateOwner, kind: string, at: FieldPath): FieldError[] {
  if (!selector) return [fieldError.required(at.child("selector"))];
  return [
    ...selectorErrors(selector, at.child("selector")),
    ...(isEmptySelector(selector)
      ? [fieldError.invalid(at.child("selector"), selector, `empty selector is invalid for ${kind}`)]
      : []),
  ];
}

/** Reports whether a selector is valid. If it is not, the pod template is not validated, as in upstream. */
export function isReadable(selector: LabelSelectorSpec | undefined): boolean {
  try {
    labelSelectorFrom(selector);
    return true;
  } catch {
    return false;
  }
}

/** Returns a template's labels in the form used in error messages. */
export const shownLabels = (metadata: PodTemplate["metadata"] = {}): unknown => metadata.labels ?? null;

/** Checks that a non-empty selector matches the labels of the template. */
export function matchErrors({ selector, template }: TemplateOwner, at: FieldPath): FieldError[] {
  if (selector && (isEmptySelector(selector) || selects(selector, template?.metadata?.labels))) return [];
  return [fieldError.invalid(at.child("template", "metadata", "labels"), shownLabels(template?.metadata), mismatch)];
}

/**
 * Returns the errors in a pod template whose pods must always be restarted. `kind` is the name used for the workload in
 * upstream's message.
 */
export function lastingTemplateErrors({ template }: TemplateOwner, kind: string, at: FieldPath): FieldError[] {
  const path = at.child("template");
  const { restartPolicy = "", activeDeadlineSeconds } = template?.spec ?? {};
  return [
    ...validatePodTemplate(template, path),
    ...(restartPolicy === "Always"
      ? []
      : [fieldError.notSupported(path.child("spec", "restartPolicy"), restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          fieldError.forbidden(
            path.child("spec", "activeDeadlineSeconds"),
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}
