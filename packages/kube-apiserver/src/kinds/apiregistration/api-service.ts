import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  type KubeObject,
  quote,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface Condition {
  type?: string;
  status?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

interface APIService extends KubeObject {
  spec?: {
    service?: { namespace?: string; name?: string; port?: number };
    group?: string;
    version?: string;
    insecureSkipTLSVerify?: boolean;
    caBundle?: string;
    groupPriorityMinimum?: number;
    versionPriority?: number;
  };
  status?: { conditions?: Condition[] };
}

const at = fieldPath("spec");

function validate({ metadata: { name = "" }, spec = {} }: APIService): FieldError[] {
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  const wanted = `${version}.${group}`;
  return [
    ...(name === wanted
      ? []
      : [
          fieldError.invalid(
            fieldPath("metadata", "name"),
            name,
            `must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`,
          ),
        ]),
    ...(group === "" && version !== "v1"
      ? [fieldError.required(at.child("group"), "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group === "" ? [] : messages(group, isDns1123Subdomain(group), at.child("group"))),
    ...messages(version, isDns1035Label(version), at.child("version")),
    ...priorityErrors("groupPriorityMinimum", groupPriorityMinimum, 20_000),
    ...priorityErrors("versionPriority", versionPriority, 1_000),
    ...(spec.service ? serviceErrors(spec, spec.service) : localErrors(spec)),
  ];
}

function priorityErrors(field: string, value: number, most: number): FieldError[] {
  if (value > 0 && value <= most) return [];
  return [fieldError.invalid(at.child(field), value, `must be positive and less than ${most}`)];
}

function localErrors({ caBundle = "", insecureSkipTLSVerify }: NonNullable<APIService["spec"]>): FieldError[] {
  const bytes = Buffer.from(caBundle, "base64").length;
  return [
    ...(bytes > 0
      ? [fieldError.invalid(at.child("caBundle"), `${bytes} bytes`, "local APIServices may not have a caBundle")]
      : []),
    ...(insecureSkipTLSVerify
      ? [
          fieldError.invalid(
            at.child("insecureSkipTLSVerify"),
            true,
            "local APIServices may not have insecureSkipTLSVerify",
          ),
        ]
      : []),
  ];
}

function serviceErrors(
  { caBundle = "", insecureSkipTLSVerify }: NonNullable<APIService["spec"]>,
  { namespace, name, port = 0 }: NonNullable<NonNullable<APIService["spec"]>["service"]>,
): FieldError[] {
  const path = at.child("service");
  return [
    ...(namespace ? [] : [fieldError.required(path.child("namespace"))]),
    ...(name ? [] : [fieldError.required(path.child("name"))]),
    ...(port >= 1 && port <= 65_535
      ? []
      : [fieldError.invalid(path.child("port"), port, "port is not valid: must be between 1 and 65535, inclusive")]),
    ...(insecureSkipTLSVerify && caBundle !== ""
      ? [fieldError.invalid(at.child("insecureSkipTLSVerify"), true, "may not be true if caBundle is present")]
      : []),
  ];
}

function statusErrors({ status }: APIService): FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, i) =>
    ["True", "False", "Unknown"].includes(condition.status ?? "")
      ? []
      : [
          fieldError.notSupported(fieldPath("status", "conditions").index(i).child("status"), condition.status ?? "", [
            "True",
            "False",
            "Unknown",
          ]),
        ],
  );
}

function availableCell({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (!condition) return "Unknown";
  return condition.status === "True" || !condition.reason
    ? (condition.status ?? "")
    : `${condition.status} (${condition.reason})`;
}

/** Strategy for APIServices. @see kube-aggregator pkg/registry/apiservice strategy.go */
export const apiServiceStrategy = defineStrategy<APIService>({
  statusIgnoresMetadata: "all",
  nameRule: "pathSegment",
  allowUnconditionalUpdate: false,
  applyDefaults({ spec }) {
    if (spec?.service) spec.service.port ??= 443;
  },
  prepareForCreate(service, { nowMs }) {
    service.status = service.spec?.service
      ? {}
      : {
          conditions: [
            {
              type: "Available",
              status: "True",
              lastTransitionTime: rfc3339(nowMs),
              reason: "Local",
              message: "Local APIServices are always available",
            },
          ],
        };
  },
  validate,
  validateStatusUpdate: statusErrors,
  columns: [
    nameColumn,
    column("Service", ({ spec }) =>
      spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local",
    ),
    column("Available", availableCell),
    ageColumn,
  ],
});
