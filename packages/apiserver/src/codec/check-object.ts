import { fieldError, type StatusError, toAggregateInvalid, type Unstructured } from "@kubewright/apimachinery";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { type DecodedBody, decodeValue, unknownConversion, withType, wrongCustomKind } from "./decode.ts";
import { TypeMismatch } from "./decode-builtin.ts";
import { type ExpectedType, expectedApiVersion, type FieldValidation } from "./expected-type.ts";
import { patchedText } from "./patched-text.ts";

export interface CheckOptions {
  /** Problems found in the patch's own text, reported before those of the result. */
  readonly patchProblems?: readonly string[];
  /** The object before the patch; errors show what became of it. */
  readonly original?: unknown;
  /** What errors show instead. */
  readonly shownAs?: string;
}

/**
 * The result of a patch, checked and pruned like a body. Problems are reported as upstream does for patches: one 422 about the field
 * `patch`.
 *
 * @throws {StatusError} 422
 */
export function checkObject(
  value: Unstructured,
  expected: ExpectedType,
  fieldValidation: FieldValidation,
  options: CheckOptions = {},
): DecodedBody {
  const refuse = (cause: string): StatusError =>
    toAggregateInvalid({ group: "", kind: "" }, "", [
      fieldError.invalid(
        "patch",
        options.shownAs ?? patchedText(value, options.original, expected.custom ? undefined : expected.schema),
        cause,
      ),
    ]);
  checkType(value, expected, refuse);
  // upstream meets unknown members where the patched text has them
  const inTextOrder = (): readonly string[] => {
    const text = patchedText(value, options.original, expected.custom ? undefined : expected.schema);
    return decodeValue(JSON.parse(text) as Unstructured, expected, []).problems;
  };
  try {
    const { value: object, problems } = decodeValue(value, expected, []);
    const found = options.original === undefined || problems.length < 2 ? problems : inTextOrder();
    // what was given as a map is looked through by name
    const all = [...(options.patchProblems ?? []), ...(options.shownAs === undefined ? found : found.toSorted())];
    if (all.length > 0 && fieldValidation === "Strict") throw refuse(`strict decoding error: ${all.join(", ")}`);
    return { object: withType(object, expected), warnings: fieldValidation === "Ignore" ? [] : all };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw refuse(options.shownAs === undefined ? error.message : (error.conversion ?? error.message));
  }
}

function checkType(value: Unstructured, expected: ExpectedType, refuse: (cause: string) => StatusError): void {
  const wanted = expectedApiVersion(expected);
  if (expected.custom) {
    if (value.kind !== expected.gvk.kind) throw wrongCustomKind(value, String(value.kind), expected);
    if (value.apiVersion !== wanted)
      throw toAggregateInvalid(expected.gvk, value.metadata.name, [
        fieldError.invalid("apiVersion", value.apiVersion, `must be ${wanted}`),
      ]);
  } else if (value.kind !== expected.gvk.kind || value.apiVersion !== wanted) {
    throw refuse(
      value.apiVersion === wanted && builtinSchema({ ...expected.gvk, kind: value.kind })
        ? unknownConversion(expected.gvk.version, value.kind, expected)
        : `no kind "${value.kind}" is registered for version "${value.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
}
