import { Quantity, QuantityError } from "@kubewright/apimachinery";
import { asInt, asString } from "../values/arguments.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, CelNode, type CelValue, noSuchOverload } from "../values/value.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

const nanosPerUnit = 1_000_000_000n;
const maxInt = 2n ** 63n - 1n;

/** A quantity such as `500m` or `1Gi`. */
class CelQuantity extends CelNode {
  readonly type = kubernetesTypes.quantity;
  readonly value: Quantity;

  constructor(value: Quantity) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof CelQuantity ? other.value.compare(this.value) === 0 : noSuchOverload();
  }
}

function parse(text: string): CelValue {
  try {
    return new CelQuantity(Quantity.parse(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const asQuantity = (value: CelValue | undefined): Quantity => {
  if (value instanceof CelQuantity) return value.value;
  throw new Error("a quantity function was called on a value that is not a quantity");
};

const isInteger = ({ nanos }: Quantity): boolean => nanos % nanosPerUnit === 0n && nanos / nanosPerUnit <= maxInt;

const ofInt = (value: bigint): Quantity => Quantity.parse(String(value));

/** Functions for quantities. @see apiserver pkg/cel/library/quantity.go */
export const quantity: readonly FunctionDeclaration[] = [
  global("quantity", "string_to_quantity", "string -> kubernetes.Quantity", (a) => parse(asString(a))),
  global("isQuantity", "is_quantity_string", "string -> bool", (a) => Quantity.isValid(asString(a))),
  global("sign", "quantity_sign", "kubernetes.Quantity -> int", (a) => sign(asQuantity(a))),
  member(
    "isGreaterThan",
    "quantity_is_greater_than",
    "kubernetes.Quantity, kubernetes.Quantity -> bool",
    (a, b) => asQuantity(a).compare(asQuantity(b)) > 0,
  ),
  member(
    "isLessThan",
    "quantity_is_less_than",
    "kubernetes.Quantity, kubernetes.Quantity -> bool",
    (a, b) => asQuantity(a).compare(asQuantity(b)) < 0,
  ),
  member("compareTo", "quantity_compare_to", "kubernetes.Quantity, kubernetes.Quantity -> int", (a, b) =>
    BigInt(asQuantity(a).compare(asQuantity(b))),
  ),
  member(
    "asApproximateFloat",
    "quantity_get_float",
    "kubernetes.Quantity -> double",
    (a) => Number(asQuantity(a).nanos) / 1e9,
  ),
  member("asInteger", "quantity_get_int", "kubernetes.Quantity -> int", (a) =>
    isInteger(asQuantity(a)) ? asQuantity(a).nanos / nanosPerUnit : new CelError("cannot convert value to integer"),
  ),
  member("isInteger", "quantity_is_integer", "kubernetes.Quantity -> bool", (a) => isInteger(asQuantity(a))),
  ...(["add", "sub"] as const).flatMap((name) => {
    const compute = (a: Quantity, b: Quantity): CelQuantity =>
      new CelQuantity(name === "add" ? a.add(b) : a.subtract(b));
    return [
      member(name, `quantity_${name}`, "kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity", (a, b) =>
        compute(asQuantity(a), asQuantity(b)),
      ),
      member(name, `quantity_${name}_int`, "kubernetes.Quantity, int -> kubernetes.Quantity", (a, b) =>
        compute(asQuantity(a), ofInt(asInt(b))),
      ),
    ];
  }),
];

const sign = ({ nanos }: Quantity): bigint => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n);
