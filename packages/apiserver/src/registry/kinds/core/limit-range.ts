import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  Quantity,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { createdAtColumn, nameColumn } from "../../table-columns.ts";
import { messages } from "../checks.ts";
import { defineStrategy } from "../define-strategy.ts";

type Amounts = Record<string, string | number>;

interface LimitItem {
  type?: string;
  min?: Amounts;
  max?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
}

interface LimitRange extends KubeObject {
  spec?: { limits?: LimitItem[] };
}

const at = fieldPath("spec", "limits");

/** Containers: what is not said follows from what is. @see pkg/apis/core/v1 SetDefaults_LimitRangeItem */
function applyItemDefaults(item: LimitItem): void {
  if (item.type !== "Container") return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  if (Object.keys(item.default).length === 0) delete item.default;
  if (Object.keys(item.defaultRequest).length === 0) delete item.defaultRequest;
}

function validate({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (spec?.limits ?? []).flatMap((item, i) => {
    const path = at.index(i);
    const { type = "", min = {}, max = {} } = item;
    const errors = messages(type, validateQualifiedName(type), path.child("type"));
    if (types.has(type)) errors.push(fieldError.duplicate(path.child("type"), type));
    types.add(type);
    if (type === "Pod") {
      for (const field of ["default", "defaultRequest"] as const)
        if (Object.keys(item[field] ?? {}).length > 0)
          errors.push(fieldError.forbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
    }
    for (const [name, low] of Object.entries(min)) {
      const high = max[name];
      if (high === undefined || Quantity.parse(low).compare(Quantity.parse(high)) <= 0) continue;
      const [least, most] = [Quantity.parse(low), Quantity.parse(high)];
      errors.push(
        fieldError.invalid(path.child("min").key(name), least, `min value ${least} is greater than max value ${most}`),
      );
    }
    errors.push(...defaultErrors(item, path));
    return errors;
  });
}

/** Defaults must lie between the limits, and requests below the limits they come with. */
function defaultErrors(
  { min = {}, max = {}, default: limit = {}, defaultRequest = {} }: LimitItem,
  path: FieldPath,
): FieldError[] {
  const exceeds = (low: Amounts, high: Amounts, name: string): readonly [Quantity, Quantity] | undefined => {
    const [a, b] = [low[name], high[name]];
    if (a === undefined || b === undefined) return undefined;
    const pair = [Quantity.parse(a), Quantity.parse(b)] as const;
    return pair[0].compare(pair[1]) > 0 ? pair : undefined;
  };
  return [...new Set([...Object.keys(limit), ...Object.keys(defaultRequest)])].sort().flatMap((name) => {
    const request = path.child("defaultRequest").key(name);
    const [a, b, c, d, e] = [
      exceeds(min, defaultRequest, name),
      exceeds(defaultRequest, max, name),
      exceeds(min, limit, name),
      exceeds(limit, max, name),
      exceeds(defaultRequest, limit, name),
    ];
    return [
      ...(a
        ? [fieldError.invalid(request, a[1], `min value ${a[0]} is greater than default request value ${a[1]}`)]
        : []),
      ...(b
        ? [fieldError.invalid(request, b[0], `default request value ${b[0]} is greater than max value ${b[1]}`)]
        : []),
      // the value shown is the minimum, as upstream has it
      ...(c
        ? [
            fieldError.invalid(
              path.child("default").key(name),
              c[0],
              `min value ${c[0]} is greater than default value ${c[1]}`,
            ),
          ]
        : []),
      ...(d
        ? [
            fieldError.invalid(
              path.child("default").key(name),
              d[0],
              `default value ${d[0]} is greater than max value ${d[1]}`,
            ),
          ]
        : []),
      ...(e
        ? [
            fieldError.invalid(
              request,
              e[0],
              `default request value ${e[0]} is greater than default limit value ${e[1]}`,
            ),
          ]
        : []),
    ];
  });
}

/** @see pkg/registry/core/limitrange strategy.go */
export const limitRangeStrategy = defineStrategy<LimitRange>({
  allowCreateOnUpdate: true,
  applyDefaults({ spec }) {
    for (const item of spec?.limits ?? []) applyItemDefaults(item);
  },
  validate,
  columns: [nameColumn, createdAtColumn],
});
