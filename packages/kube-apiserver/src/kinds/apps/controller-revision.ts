import {
  controllerOf,
  fieldError,
  fieldPath,
  groupKindKey,
  isRecord,
  type KubeObject,
  kindOf,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, nonNegative } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface ControllerRevision extends KubeObject {
  data?: unknown;
  revision?: number;
}

function controllerCell(object: ControllerRevision): string {
  const owner = controllerOf(object);
  return owner ? `${groupKindKey(kindOf(owner)).toLowerCase()}/${owner.name}` : "<none>";
}

/** Strategy for ControllerRevisions. @see pkg/registry/apps/controllerrevision strategy.go */
export const controllerRevisionStrategy = defineStrategy<ControllerRevision>({
  validate: ({ data, revision }) => [
    ...(data === undefined || data === null
      ? [fieldError.required("data", "data is mandatory")]
      : isRecord(data)
        ? []
        : [fieldError.required("data", "data must be a valid JSON object")]),
    ...nonNegative(revision, fieldPath("revision")),
  ],
  validateUpdate: ({ data, revision }, old) => [
    ...nonNegative(revision, fieldPath("revision")),
    ...immutable(data, old.data, fieldPath("data")),
  ],
  columns: [
    nameColumn,
    column("Controller", controllerCell),
    column("Revision", ({ revision }) => revision ?? 0),
    ageColumn,
  ],
});
