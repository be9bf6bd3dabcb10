import { type Definition, readDefinition } from "../source/definition.ts";
import { yamlText } from "../text/yaml.ts";

/** Validates a CRD. Returns the API server's error messages, or an empty list if it would accept the CRD. */
export type Judge = (crd: Definition) => readonly string[];

/** Thrown for a CRD that the API server would reject. */
export class RefusedDefinitionError extends Error {
  override readonly name = "RefusedDefinitionError";
  /** Name of the CRD. */
  readonly definition: string;
  /** Error messages of the API server. */
  readonly reasons: readonly string[];

  constructor(definition: string, reasons: readonly string[]) {
    super(`The CustomResourceDefinition "${definition}" is invalid:\n${reasons.map((text) => `* ${text}`).join("\n")}`);
    this.definition = definition;
    this.reasons = reasons;
  }
}

/** Options for {@link crdText}. */
export interface CrdTextOptions {
  /** Validates the CRD. Default: no validation. */
  readonly judge?: Judge | undefined;
}

/**
 * Returns a CRD (such as `Site.crd`) as YAML. The order of the CRD's members does not affect the text.
 *
 * @throws {RefusedDefinitionError} if the judge rejects the CRD
 * @throws {Error} if the argument is not a CRD
 */
export const crdText = (crd: object, { judge }: CrdTextOptions = {}): string =>
  yamlText([checkedDefinition(crd, judge)]);

/** Validates a CRD and returns it without the fields that servers add. Throws the same errors as {@link crdText}. */
export function checkedDefinition(crd: object, judge?: Judge): object {
  const { apiVersion, kind, metadata, spec } = readDefinition(crd);
  const { name, labels, annotations } = metadata;
  const bare = { apiVersion, kind, metadata: { name, labels, annotations }, spec };
  const reasons = judge?.(bare as Definition) ?? [];
  if (reasons.length > 0) throw new RefusedDefinitionError(name, reasons);
  return bare;
}
