import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  jsonEqual,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import {
  atMostAll,
  type IntOrString,
  immutable,
  intOrPercent,
  isEmptySelector,
  isZero,
  nonNegative,
  selectorErrors,
  selects,
} from "../checks.ts";
import { column, containerColumns, labelsCell, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { isReadable, lastingTemplateErrors, shownLabels } from "../pod/template-selector.ts";

interface DaemonSetSpec {
  selector?: LabelSelectorSpec;
  template?: PodTemplate;
  updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString } };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

interface DaemonSet extends KubeObject {
  spec?: DaemonSetSpec;
  status?: Readonly<Record<string, number>>;
}

const at = fieldPath("spec");
const generationAnnotation = "deprecated.daemonset.template.generation";

function validateSpec(spec: DaemonSetSpec, path: FieldPath): FieldError[] {
  const { selector, template } = spec;
  return [
    ...selectorErrors(selector, path.child("selector")),
    ...(isReadable(selector) && !selects(selector, template?.metadata?.labels)
      ? [
          fieldError.invalid(
            path.child("template", "metadata", "labels"),
            shownLabels(template?.metadata),
            "`selector` does not match template `labels`",
          ),
        ]
      : []),
    ...(selector && isEmptySelector(selector)
      ? [fieldError.invalid(path.child("selector"), selector, "empty selector is invalid for daemonset")]
      : []),
    ...lastingTemplateErrors(spec, "DaemonSet", path),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...updateErrors(spec.updateStrategy ?? {}, path.child("updateStrategy")),
    ...nonNegative(spec.revisionHistoryLimit, path.child("revisionHistoryLimit")),
  ];
}

function updateErrors(
  { type, rollingUpdate }: NonNullable<DaemonSetSpec["updateStrategy"]>,
  path: FieldPath,
): FieldError[] {
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate")
    return [
      fieldError.notSupported(
        path,
        {
          Type: type,
          RollingUpdate: rollingUpdate
            ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
            : null,
        },
        ["RollingUpdate", "OnDelete"],
      ),
    ];
  const inner = path.child("rollingUpdate");
  if (!rollingUpdate) return [fieldError.required(inner)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  return [
    ...intOrPercent(maxUnavailable, inner.child("maxUnavailable")),
    ...intOrPercent(maxSurge, inner.child("maxSurge")),
    ...atMostAll(maxUnavailable, inner.child("maxUnavailable")),
    ...atMostAll(maxSurge, inner.child("maxSurge")),
    ...(!isZero(maxUnavailable) && !isZero(maxSurge)
      ? [fieldError.invalid(inner.child("maxSurge"), maxSurge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [fieldError.required(inner.child("maxUnavailable"), "cannot be 0 when maxSurge is 0")]
      : []),
  ];
}

const count = (name: string, field: string) =>
  column<DaemonSet>(name, (object) => object.status?.[field] ?? 0, { type: "integer" });

/** Strategy for DaemonSets. @see pkg/registry/apps/daemonset strategy.go */
export const daemonSetStrategy = defineStrategy<DaemonSet>({
  countsGeneration: true,
  applyDefaults(object) {
    object.metadata.annotations = { [generationAnnotation]: "0", ...object.metadata.annotations };
    object.spec ??= {};
    const { spec } = object;
    spec.template ??= {};
    applyPodTemplateDefaults(spec.template);
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ||= "RollingUpdate";
    if (spec.updateStrategy.type === "RollingUpdate") {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
  },
  prepareForCreate(object) {
    // already set by the defaults, so that the writer owns the field
    object.metadata.annotations = { ...object.metadata.annotations, [generationAnnotation]: "1" };
    object.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
  },
  prepareForUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[generationAnnotation] ?? 1);
    const next = jsonEqual(object.spec?.template, old.spec?.template) ? before : before + 1;
    object.metadata.annotations = { ...object.metadata.annotations, [generationAnnotation]: String(next) };
  },
  prepareForStatusUpdate(object, old) {
    const generation = old.metadata.annotations?.[generationAnnotation];
    if (generation !== undefined)
      object.metadata.annotations = { ...object.metadata.annotations, [generationAnnotation]: generation };
  },
  validate: (object) => validateSpec(object.spec ?? {}, at),
  validateUpdate: (object, old) => [
    ...immutable(object.spec?.selector, old.spec?.selector, at.child("selector")),
    ...validateSpec(object.spec ?? {}, at),
  ],
  columns: [
    nameColumn,
    count("Desired", "desiredNumberScheduled"),
    count("Current", "currentNumberScheduled"),
    count("Ready", "numberReady"),
    count("Up-to-date", "updatedNumberScheduled"),
    count("Available", "numberAvailable"),
    column("Node Selector", (object) => labelsCell(object.spec?.template?.spec?.nodeSelector)),
    ageColumn,
    ...containerColumns<DaemonSet>((object) => object.spec?.template?.spec?.containers),
    column("Selector", (object) => selectorCell(object.spec?.selector), { wide: true }),
  ],
});
