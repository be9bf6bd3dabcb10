import { type Definition, readDefinition } from "../source/definition.ts";
import { yamlText } from "../text/yaml.ts";

/** What the API server would refuse of a definition, each in its words; nothing if it takes it. */
export type Judge = (crd: Definition) => readonly string[];

/** A definition that the API server would not take. */
export class RefusedDefinitionError extends Error {
  override readonly name = "RefusedDefinitionError";
  /** The name of the definition. */
  readonly definition: string;
  /** What the judge has against it, each in the API server's words. */
  readonly reasons: readonly string[];

  constructor(definition: string, reasons: readonly string[]) {
    super(`The CustomResourceDefinition "${definition}" is invalid:\n${reasons.map((text) => `* ${text}`).join("\n")}`);
    this.definition = definition;
    this.reasons = reasons;
  }
}

/** Who looks at a definition before it is written. */
export interface CrdTextOptions {
  /** Default: none, the definition is written unjudged. */
  readonly judge?: Judge | undefined;
}

/**
 * The YAML of a definition, such as `Site.crd`: the same bytes for the same definition, whatever order its members are in.
 *
 * @throws {RefusedDefinitionError} if the judge has something against it
 * @throws {Error} if it is no definition
 */
export const crdText = (crd: object, { judge }: CrdTextOptions = {}): string =>
  yamlText([checkedDefinition(crd, judge)]);

/** The definition without what servers keep of it. @throws as {@link crdText} */
export function checkedDefinition(crd: object, judge?: Judge): object {
  const { apiVersion, kind, metadata, spec } = readDefinition(crd);
  const { name, labels, annotations } = metadata;
  const bare = { apiVersion, kind, metadata: { name, labels, annotations }, spec };
  const reasons = judge?.(bare as Definition) ?? [];
  if (reasons.length > 0) throw new RefusedDefinitionError(name, reasons);
  return bare;
}
