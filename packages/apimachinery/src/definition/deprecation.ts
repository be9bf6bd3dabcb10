import { type FieldError, fieldError } from "../error/field-error.ts";
import { apiVersionOf } from "../object/kind.ts";
import type { KindDefinition } from "./kind-definition.ts";

type Deprecation = Pick<KindDefinition<unknown, unknown>, "group" | "version" | "kind" | "deprecated">;

const longestWarning = 256;

/** What who uses the version is told, in the words of the built-in kinds; undefined leaves it to the server, which says no remedy. */
export function deprecationWarning(definition: Deprecation): string | undefined {
  const { kind, deprecated } = definition;
  return typeof deprecated === "string"
    ? `${apiVersionOf(definition)} ${kind} is deprecated; ${deprecated}`
    : undefined;
}

/** @see apiextensions-apiserver pkg/apis/apiextensions/validation validateDeprecationWarning */
export function deprecationErrors(definition: Deprecation): FieldError[] {
  const { deprecated } = definition;
  if (typeof deprecated !== "string") return [];
  if (deprecated.trim() === "")
    return [fieldError.invalid("deprecated", deprecated, "must say what to do instead, such as use v1, or be true")];
  const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(deprecated);
  if (unprintable)
    return [
      fieldError.invalid(
        "deprecated",
        deprecated,
        `must be of printable characters: not so at index ${unprintable.index}`,
      ),
    ];
  const bytes = Buffer.byteLength(deprecationWarning(definition) ?? "");
  return bytes > longestWarning
    ? [
        fieldError.invalid(
          "deprecated",
          deprecated,
          `makes a warning of ${bytes} bytes; ${longestWarning} are possible`,
        ),
      ]
    : [];
}
