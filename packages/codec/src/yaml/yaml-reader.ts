import { Parser } from "./parser.ts";
import { ValueBuilder } from "./value-builder.ts";

export { YamlError } from "./cursor.ts";

/** The value of a YAML document, and its repeated keys. */
export interface YamlValue {
  readonly value: unknown;
  /** Messages such as `line 4: key "a" already set in map`, one for each repeated key. */
  readonly duplicates: readonly string[];
}

/**
 * Parses the first YAML document in a string according to YAML 1.1, as upstream does when it converts YAML to JSON:
 * unquoted `y`, `no` and `off` are booleans (also as keys), and keys become strings. Times and base-60 numbers remain
 * strings. Integers beyond 2^53 become `bigint`.
 *
 * The string is read only once. As in upstream, there are limits on nesting, on the expansion of aliases, and on the
 * distance between a key and its colon.
 *
 * @throws {YamlError} if the string is not valid YAML
 */
export function readYaml(text: string): YamlValue {
  const builder = new ValueBuilder();
  new Parser(text, builder).run();
  return { value: builder.result, duplicates: builder.duplicates };
}
