import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isRecord,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { CelCompileError, CelEnvironment, celType, formatType, objectType, plainType } from "@kubewright/cel";
import { messages, oneOf } from "../checks.ts";
import { defineStrategy } from "../define-strategy.ts";
import { repeatedItems } from "../repeated-items.ts";
import { driverNameErrors } from "../storage/csi-validation.ts";
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

/** A device claim's specification. */
export interface DeviceClaim {
  requests?: DeviceRequest[];
  constraints?: { requests?: string[]; matchAttribute?: string; distinctAttribute?: string }[];
  config?: ({ requests?: string[] } & DeviceConfiguration)[];
}

interface DeviceConfiguration {
  opaque?: { driver?: string; parameters?: unknown };
}

/** Returns the errors in the configuration of a device. @see kubernetes pkg/apis/resource/validation validateDeviceConfiguration */
function configurationErrors({ opaque }: DeviceConfiguration, at: FieldPath): FieldError[] {
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

/**
 * Returns the errors in a device claim's specification.
 *
 * @see kubernetes pkg/apis/resource/validation validateDeviceClaim
 */
export function claimErrors(
  { requests = [], constraints = [], config = [] }: DeviceClaim,
  at: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  const path = at.child("requests");
  const errors: FieldError[] =
    requests.length > maxRequests ? [fieldError.tooMany(path, requests.length, maxRequests)] : [];
  for (const [i, { name = "" }] of requests.entries()) {
    if (names.has(name)) errors.push(fieldError.duplicate(path.index(i), requests[i]));
    names.add(name);
  }
  errors.push(...requests.flatMap((request, i) => requestErrors(request, path.index(i))));
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
        ...(taken.has(i) ? [fieldError.duplicate(path, each)] : []),
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

/**
 * Returns the paths of those fields in a device claim that upstream validates declaratively.
 *
 * @param path path of the claim in the object
 */
export const declaredClaimFields = (path: string): readonly string[] =>
  [
    "requests",
    "requests[].exactly.allocationMode",
    "requests[].exactly.tolerations[].operator",
    "requests[].firstAvailable",
    "requests[].firstAvailable[].allocationMode",
    "requests[].firstAvailable[].deviceClassName",
    "requests[].firstAvailable[].tolerations[].operator",
    "constraints[].requests",
    "config[].requests",
    "config[].opaque.driver",
  ].map((field) => `${path}.${field}`);

interface DeviceSelector {
  cel?: { expression?: string };
}

const longestSelector = 10 * 1024;
const ofDomain = (values: typeof celType.dyn) =>
  plainType(celType.map(celType.string, celType.map(celType.string, values)));

let known: CelEnvironment | undefined;

/** Returns the CEL environment for expressions that select devices. @see k8s.io/dynamic-resource-allocation cel compile.go */
function environment(): CelEnvironment {
  if (known) return known;
  const device = objectType("kubernetes.DRADevice", {
    driver: plainType(celType.string),
    attributes: ofDomain(celType.dyn),
    capacity: ofDomain(celType.opaque("kubernetes.Quantity")),
    allowMultipleAllocations: plainType(celType.bool),
  });
  known = CelEnvironment.base.extend({ variables: { device: device.type }, types: [device] });
  return known;
}

/** Returns the errors in device selectors. A selector is a boolean expression over a device. */
export function deviceSelectorErrors(selectors: readonly DeviceSelector[], at: FieldPath): FieldError[] {
  return selectors.flatMap(({ cel }, i) => {
    const path = at.index(i).child("cel");
    if (!cel) return [fieldError.required(path)];
    const { expression = "" } = cel;
    const where = path.child("expression");
    if (Buffer.byteLength(expression) > longestSelector) return [fieldError.tooLong(where, longestSelector)];
    const wrong = problemOf(expression);
    return wrong === undefined ? [] : [fieldError.invalid(where, expression, wrong)];
  });
}

function problemOf(expression: string): string | undefined {
  try {
    const { outputType } = environment().compile(expression);
    const type = formatType(outputType);
    return type === "bool" || type === "dyn" || type === "any"
      ? undefined
      : `must evaluate to bool or the unknown type, not ${type}`;
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return `compilation failed: ${error.message}`;
  }
}

interface DeviceClass extends KubeObject {
  spec?: { selectors?: DeviceSelector[]; config?: DeviceConfiguration[] };
}

/** Strategy for DeviceClasses. @see pkg/registry/resource/deviceclass strategy.go */
export const deviceClassStrategy = defineStrategy<DeviceClass>({
  countsGeneration: true,
  returnDeletedObject: true,
  validate: ({ spec }) => [
    ...deviceSelectorErrors(spec?.selectors ?? [], fieldPath("spec", "selectors")),
    ...(spec?.config ?? []).flatMap((each, i) => configurationErrors(each, fieldPath("spec", "config").index(i))),
  ],
});
