import { type FieldError, fieldError } from "../error/field-error.ts";
import { apiVersionOf } from "../object/kind.ts";
import type { KindDefinition } from "./kind-definition.ts";

type Deprecation = Pick<KindDefinition<unknown, unknown>, "group" | "version" | "kind" | "deprecated">;

const longestWarning = 256;

/**
 * Returns the warning for clients that use a deprecated version, worded as for built-in kinds. Returns `undefined` if
 * the definition does not name a replacement, because the API server then generates a warning itself.
 */
export function deprecationWarning(definition: Deprecation): string | undefined {
  const { kind, deprecated } = definition;
  return typeof deprecated === "string"
    ? `${apiVersionOf(definition)} ${kind} is deprecated; ${deprecated}`
    : undefined;
}

/** Returns the errors in the deprecation text. @see apiextensions-apiserver pkg/apis/apiextensions/validation validateDeprecationWarning */
export function deprecationErrors(definition: Deprecation): FieldError[] {
  const { deprecated } = definition;
  if (typeof deprecated !== "string") return [];
  if (deprecated.trim() === "")
    return [fieldError.invalid("deprecated", deprecated, "must name the replacement, such as use v1, or be true")];
  const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(deprecated);
  if (unprintable)
    return [
      fieldError.invalid(
        "deprecated",
        deprecated,
        `must contain printable characters only; the character at index ${unprintable.index} is not printable`,
      ),
    ];
  const bytes = Buffer.byteLength(deprecationWarning(definition) ?? "");
  return bytes > longestWarning
    ? [
        fieldError.invalid(
          "deprecated",
          deprecated,
          `results in a warning of ${bytes} bytes; at most ${longestWarning} bytes are allowed`,
        ),
      ]
    : [];
}
