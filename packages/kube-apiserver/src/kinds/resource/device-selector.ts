import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import { CelCompileError, CelEnvironment, celType, formatType, objectType, plainType } from "@kubewright/cel";

export interface DeviceSelector {
  cel?: { expression?: string };
}

const longest = 10 * 1024;
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

/** Returns the errors in device selectors, each of which is a boolean expression about a device. */
export function deviceSelectorErrors(selectors: readonly DeviceSelector[], at: FieldPath): FieldError[] {
  return selectors.flatMap(({ cel }, i) => {
    const path = at.index(i).child("cel");
    if (!cel) return [fieldError.required(path)];
    const { expression = "" } = cel;
    const where = path.child("expression");
    if (Buffer.byteLength(expression) > longest) return [fieldError.tooLong(where, longest)];
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
