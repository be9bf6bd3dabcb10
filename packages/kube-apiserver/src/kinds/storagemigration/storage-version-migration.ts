import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  type KubeObject,
} from "@kubewright/apimachinery";
import { type StatusCondition, statusConditionErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../unchanged.ts";

interface StorageVersionMigration extends KubeObject {
  spec?: { resource?: { group?: string; resource?: string } };
  status?: { conditions?: StatusCondition[]; resourceVersion?: string };
}

const states = ["Running", "Succeeded", "Failed"];
const results = ["Succeeded", "Failed"] as const;
const at = fieldPath("spec", "resource");

function validate({ spec }: StorageVersionMigration): FieldError[] {
  const { group = "", resource = "" } = spec?.resource ?? {};
  const joined = (value: string, wrong: readonly string[], member: string): FieldError[] =>
    wrong.length > 0 ? [fieldError.invalid(at.child(member), value, wrong.join(","))] : [];
  return [
    ...(resource === ""
      ? [fieldError.required(at.child("resource"), "resource is required to be set")]
      : joined(resource, isDns1035Label(resource), "resource")),
    ...(group === "" ? [] : joined(group, isDns1123Subdomain(group), "group")),
  ];
}

const isTrue = ({ status }: Readonly<StorageVersionMigration>, type: string): boolean =>
  (status?.conditions ?? []).find((condition) => condition.type === type)?.status === "True";

/** @see pkg/apis/storagemigration/validation ValidateStorageVersionMigrationStatusUpdate */
function statusErrors(next: StorageVersionMigration, old: Readonly<StorageVersionMigration>): FieldError[] {
  const path = fieldPath("status");
  const { conditions = [], resourceVersion = "" } = next.status ?? {};
  const before = old.status?.resourceVersion ?? "";
  const shown = conditions.map(({ type, status, observedGeneration, lastTransitionTime, reason, message = "" }) => ({
    ...{ type, status, observedGeneration, lastTransitionTime, reason, message }, // the order in which Go serializes them
  }));
  const wrong = (detail: string): FieldError => fieldError.invalid(path.child("conditions"), shown, detail);
  return [
    ...(resourceVersion === "" || /^[1-9][0-9]*$/.test(resourceVersion)
      ? []
      : [
          fieldError.invalid(
            path.child("resourceVersion"),
            resourceVersion,
            `resource version is not well formed: ${resourceVersion}`,
          ),
        ]),
    ...statusConditionErrors(conditions, path.child("conditions")),
    ...(before !== "" && before !== resourceVersion
      ? [fieldError.invalid(path.child("resourceVersion"), resourceVersion, "field is immutable")]
      : []),
    ...(results.every((type) => isTrue(next, type))
      ? [wrong("Both success and failed conditions cannot be true at the same time")]
      : []),
    ...results
      .filter((type) => isTrue(old, type) && !isTrue(next, type))
      .map((type) =>
        wrong(`${type === "Failed" ? "Failed" : "Success"} condition cannot be set to false once it is true`),
      ),
  ];
}

/** Strategy for StorageVersionMigrations. @see pkg/registry/storagemigration/storagemigration strategy.go */
export const storageVersionMigrationStrategy = defineStrategy<StorageVersionMigration>({
  allowUnconditionalUpdate: false,
  statusIgnoresMetadata: "all",
  validate,
  validateUpdate: (next, old) => [...validate(next), ...unchanged(next.spec ?? {}, old.spec ?? {}, fieldPath("spec"))],
  validateStatusUpdate: statusErrors,
  columns: [
    column("Name", ({ metadata }) => metadata.name),
    column("Resource", ({ spec }) => {
      const { group = "", resource = "" } = spec?.resource ?? {};
      return group === "" ? resource : `${resource}.${group}`;
    }),
    column("Status", ({ status }) => {
      const known = (status?.conditions ?? []).filter(
        (each) => each.status === "True" && states.includes(each.type ?? ""),
      );
      return known.at(-1)?.type ?? "Unknown";
    }),
  ],
});
