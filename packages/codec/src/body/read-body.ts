import { parseJson } from "@kubewright/apimachinery";
import { isTooDeep, maxDepth } from "../json/depth.ts";
import { duplicateFields } from "../json/duplicate-fields.ts";
import { jsonSyntaxError } from "../json/json-syntax-error.ts";
import { readYaml, YamlError } from "../yaml/yaml-reader.ts";
import { jsonTypeName } from "./go-names.ts";

/** A JSON or YAML text as a value. */
export interface ReadText {
  readonly value: unknown;
  /** Paths of members that occurred twice (JSON). */
  readonly repeated: readonly string[];
  /** What YAML's reader says of repeated keys. */
  readonly yamlDuplicates: readonly string[];
}

/** The text cannot be read at all; the message is upstream's, without what stands before it. */
export class UnreadableText extends Error {
  override readonly name = "UnreadableText";
}

/** @throws {UnreadableText} */
export function readJsonText(text: string): ReadText {
  try {
    const value = parseJson(text);
    return { value, repeated: duplicateFields(text, value), yamlDuplicates: [] };
  } catch {
    throw new UnreadableText(jsonSyntaxError(text));
  }
}

const tooDeep = (): UnreadableText => new UnreadableText(`yaml: exceeded max depth of ${maxDepth}`);

/** Reads YAML; text that is JSON takes the shorter way. @throws {UnreadableText} */
export function readYamlText(text: string): ReadText {
  if (/^\s*[{[]/.test(text)) {
    try {
      const read = readJsonText(text);
      if (read.repeated.length === 0) return read;
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      if (error.message.endsWith("exceeded max depth")) throw tooDeep();
    }
  }
  try {
    const { value, duplicates } = readYaml(text);
    if (isTooDeep(value)) throw tooDeep();
    return { value, repeated: [], yamlDuplicates: duplicates };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UnreadableText(`yaml: ${error.message}`);
  }
}

/** `json: cannot unmarshal array into Go value of type …` */
export const notAnObject = (value: unknown, type: string): string =>
  `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`;
