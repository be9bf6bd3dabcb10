import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  ownMember,
  Quantity,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { createdAtColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { defineStrategy } from "../define-strategy.ts";
import { allowsOvercommit, containerResourceNameErrors, resourceNameErrors } from "./resource-names.ts";

type Amounts = Record<string, string | number>;

interface LimitItem {
  type?: string;
  min?: Amounts;
  max?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
  maxLimitRequestRatio?: Amounts;
}

type AmountField = "min" | "max" | "default" | "defaultRequest" | "maxLimitRequestRatio";

interface LimitRange extends KubeObject {
  spec?: { limits?: LimitItem[] };
}

const at = fieldPath("spec", "limits");

/** Sets missing values in an item for containers, based on other values in the item. @see pkg/apis/core/v1 SetDefaults_LimitRangeItem */
function applyItemDefaults(item: LimitItem): void {
  if (item.type !== "Container") return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  if (Object.keys(item.default).length === 0) delete item.default;
  if (Object.keys(item.defaultRequest).length === 0) delete item.defaultRequest;
}

const standardTypes = ["Pod", "Container", "PersistentVolumeClaim"];

function typeErrors(type: string, at: FieldPath): FieldError[] {
  const errors = messages(type, validateQualifiedName(type), at);
  if (errors.length > 0 || type.includes("/") || standardTypes.includes(type)) return errors;
  return [fieldError.invalid(at, type, "must be a standard limit type or fully qualified")];
}

/** Returns the errors in a LimitRange. @see pkg/apis/core/validation ValidateLimitRange */
function validate({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (spec?.limits ?? []).flatMap((item, i) => {
    const path = at.index(i);
    const { type = "" } = item;
    const errors = typeErrors(type, path.child("type"));
    if (types.has(type)) errors.push(fieldError.duplicate(path.child("type"), type));
    types.add(type);
    return [...errors, ...itemErrors(item, path)];
  });
}

function itemErrors(item: LimitItem, path: FieldPath): FieldError[] {
  const nameErrors =
    item.type === "Pod" || item.type === "Container" ? containerResourceNameErrors : resourceNameErrors;
  const named = (field: AmountField): FieldError[] =>
    Object.keys(item[field] ?? {}).flatMap((name) => nameErrors(name, path.child(field).key(name)));
  const errors = [...named("max"), ...named("min")];
  for (const field of ["default", "defaultRequest"] as const) {
    if (item.type !== "Pod") errors.push(...named(field));
    else if (Object.keys(item[field] ?? {}).length > 0)
      errors.push(fieldError.forbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
  }
  if (item.type === "PersistentVolumeClaim" && item.min?.storage === undefined && item.max?.storage === undefined)
    errors.push(
      fieldError.required(
        path.child("limits"),
        "either minimum or maximum storage value is required, but neither was provided",
      ),
    );
  errors.push(...named("maxLimitRequestRatio"));
  const fields: readonly AmountField[] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
  const names = new Set(fields.flatMap((field) => Object.keys(item[field] ?? {})));
  return [...errors, ...[...names].sort().flatMap((name) => amountErrors(item, name, path))];
}

/** Checks the amounts for one resource against each other. */
function amountErrors(item: LimitItem, name: string, path: FieldPath): FieldError[] {
  const amount = (field: AmountField): Quantity | undefined => {
    const value = ownMember(item[field], name);
    return value === undefined ? undefined : Quantity.parse(value);
  };
  const [min, max, ratio] = [amount("min"), amount("max"), amount("maxLimitRequestRatio")];
  const [limit, request] = item.type === "Pod" ? [] : [amount("default"), amount("defaultRequest")];
  const errors: FieldError[] = [];
  const wrong = (field: AmountField, shown: Quantity, text: string): void => {
    errors.push(fieldError.invalid(path.child(field).key(name), shown.toString(), text));
  };
  const isMore = (a: Quantity | undefined, b: Quantity | undefined): boolean => !!a && !!b && a.compare(b) > 0;
  if (min && isMore(min, max)) wrong("min", min, `min value ${min} is greater than max value ${max}`);
  if (request && isMore(min, request))
    wrong("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (request && isMore(request, max))
    wrong("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (request && isMore(request, limit))
    wrong("defaultRequest", request, `default request value ${request} is greater than default limit value ${limit}`);
  // in these two errors, upstream shows the bound as the value
  if (min && isMore(min, limit)) wrong("default", min, `min value ${min} is greater than default value ${limit}`);
  if (max && isMore(limit, max)) wrong("default", max, `default value ${limit} is greater than max value ${max}`);
  if (ratio && ratio.milliValue < 1000n) wrong("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  if (ratio && min && max) {
    const most = Number(max.milliValue) / Number(min.milliValue);
    if (ratio.toNumber() > most)
      wrong("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`);
  }
  if (limit && request && !allowsOvercommit(name) && limit.compare(request) !== 0)
    wrong("defaultRequest", request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`);
  return errors;
}

/** Strategy for LimitRanges. @see pkg/registry/core/limitrange strategy.go */
export const limitRangeStrategy = defineStrategy<LimitRange>({
  allowCreateOnUpdate: true,
  applyDefaults({ spec }) {
    for (const item of spec?.limits ?? []) applyItemDefaults(item);
  },
  prepareForCreate({ metadata }, _context, random) {
    metadata.name ||= random.uuid();
  },
  validate,
  columns: [nameColumn, createdAtColumn],
});
