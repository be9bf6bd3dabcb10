import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  isDns1123Subdomain,
  isRecord,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages, oneOf } from "../checks.ts";
import { repeatedItems } from "../repeated-items.ts";
import { driverNameErrors } from "../storage/csi-validation.ts";
import { type DeviceSelector, deviceSelectorErrors } from "./device-selector.ts";
import { fullyQualifiedNameErrors } from "./qualified-name.ts";

interface ExactRequest {
  deviceClassName?: string;
  selectors?: DeviceSelector[];
  allocationMode?: string;
  count?: number;
  tolerations?: { key?: string; operator?: string }[];
}

interface DeviceRequest {
  name?: string;
  exactly?: ExactRequest;
  firstAvailable?: (ExactRequest & { name?: string })[];
}

/** Specification of a device claim. */
export interface DeviceClaim {
  requests?: DeviceRequest[];
  constraints?: { requests?: string[]; matchAttribute?: string; distinctAttribute?: string }[];
  config?: ({ requests?: string[] } & DeviceConfiguration)[];
}

export interface DeviceConfiguration {
  opaque?: { driver?: string; parameters?: unknown };
}

/** Returns the errors in the configuration of a device. @see kubernetes pkg/apis/resource/validation validateDeviceConfiguration */
export function configurationErrors({ opaque }: DeviceConfiguration, at: FieldPath): FieldError[] {
  const path = at.child("opaque");
  if (!opaque) return [fieldError.required(path)];
  return [
    ...driverNameErrors(opaque.driver ?? "", path.child("driver")),
    ...parameterErrors(opaque.parameters, path.child("parameters")),
  ];
}

function parameterErrors(parameters: unknown, at: FieldPath): FieldError[] {
  if (parameters === undefined || parameters === null) return [fieldError.required(at)];
  return isRecord(parameters) ? [] : [fieldError.invalid(at, "<value omitted>", "must be a valid JSON object")];
}

/** Sets the defaults in a device claim, such as a count of one device. @see kubernetes pkg/apis/resource/v1 defaults.go */
export function applyClaimDefaults(claim: DeviceClaim | undefined): void {
  for (const { exactly, firstAvailable = [] } of claim?.requests ?? [])
    for (const request of exactly ? [exactly, ...firstAvailable] : firstAvailable) {
      request.allocationMode ||= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= "Equal";
    }
}

const maxRequests = 32;

/** Returns the errors in the specification of a device claim. @see kubernetes pkg/apis/resource/validation validateDeviceClaim */
export function claimErrors(
  { requests = [], constraints = [], config = [] }: DeviceClaim,
  at: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  const path = at.child("requests");
  const errors: FieldError[] =
    requests.length > maxRequests ? [fieldError.tooMany(path, requests.length, maxRequests)] : [];
  errors.push(...requests.flatMap((request, i) => requestErrors(request, path.index(i))));
  for (const [i, { name = "" }] of requests.entries()) {
    if (names.has(name)) errors.push(fieldError.duplicate(path.index(i), name));
    names.add(name);
  }
  return [
    ...errors,
    ...constraints.flatMap((each, i) => {
      const where = at.child("constraints").index(i);
      return [...namedErrors(each.requests ?? [], names, where), ...attributeErrors(each, where)];
    }),
    ...config.flatMap((each, i) => [
      ...namedErrors(each.requests ?? [], names, at.child("config").index(i)),
      ...configurationErrors(each, at.child("config").index(i)),
    ]),
  ];
}

function requestErrors({ name = "", exactly, firstAvailable = [] }: DeviceRequest, at: FieldPath): FieldError[] {
  const errors = nameErrors(name, at.child("name"));
  if (exactly && firstAvailable.length > 0)
    return [
      ...errors,
      fieldError.invalid(
        at,
        null,
        "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set",
      ),
    ];
  if (exactly) return [...errors, ...exactErrors(exactly, at.child("exactly"))];
  if (firstAvailable.length === 0)
    return [...errors, fieldError.required(at, "exactly one of `exactly` or `firstAvailable` is required")];
  const taken = repeatedItems(firstAvailable, ({ name = "" }) => name);
  return [
    ...errors,
    ...firstAvailable.flatMap((each, i) => {
      const path = at.child("firstAvailable").index(i);
      return [
        ...nameErrors(each.name ?? "", path.child("name")),
        ...exactErrors(each, path),
        ...(taken.has(i) ? [fieldError.duplicate(path, each.name ?? "")] : []),
      ];
    }),
  ];
}

const nameErrors = (name: string, at: FieldPath): FieldError[] => messages(name, isDns1123Label(name), at);

function exactErrors(request: ExactRequest, at: FieldPath): FieldError[] {
  const { deviceClassName = "", selectors = [], allocationMode = "", count = 0 } = request;
  const className = at.child("deviceClassName");
  return [
    ...(deviceClassName === ""
      ? [fieldError.required(className)]
      : messages(deviceClassName, isDns1123Subdomain(deviceClassName), className)),
    ...deviceSelectorErrors(selectors, at.child("selectors")),
    ...modeErrors(allocationMode, count, at),
    ...(request.tolerations ?? []).flatMap(({ key, operator }, i) => {
      const path = at.child("tolerations").index(i);
      return [
        ...(key ? messages(key, validateQualifiedName(key), path.child("key")) : []),
        ...oneOf(operator, ["Equal", "Exists"], path.child("operator")),
      ];
    }),
  ];
}

function modeErrors(mode: string, count: number, at: FieldPath): FieldError[] {
  if (mode === "All")
    return count === 0
      ? []
      : [fieldError.invalid(at.child("count"), count, `must not be specified when allocationMode is '${mode}'`)];
  if (mode === "ExactCount")
    return count > 0 ? [] : [fieldError.invalid(at.child("count"), count, "must be greater than zero")];
  return [fieldError.notSupported(at.child("allocationMode"), mode, ["All", "ExactCount"])];
}

/** Checks that each name refers to an existing request of the claim. */
function namedErrors(requests: readonly string[], names: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const taken = repeatedItems(requests, (name) => name);
  return requests.flatMap((name, i) => {
    const path = at.child("requests").index(i);
    if (taken.has(i)) return [fieldError.duplicate(path, name)];
    return [
      ...name.split("/").flatMap((part) => nameErrors(part, path)),
      ...(names.has(name.split("/")[0] ?? "")
        ? []
        : [
            fieldError.invalid(
              path,
              name,
              "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
            ),
          ]),
    ];
  });
}

function attributeErrors(constraint: NonNullable<DeviceClaim["constraints"]>[number], at: FieldPath): FieldError[] {
  const { matchAttribute, distinctAttribute } = constraint;
  if (matchAttribute !== undefined) return fullyQualifiedNameErrors(matchAttribute, at.child("matchAttribute"));
  if (distinctAttribute !== undefined)
    return fullyQualifiedNameErrors(distinctAttribute, at.child("distinctAttribute"));
  return [
    fieldError.required(
      at,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ),
  ];
}
