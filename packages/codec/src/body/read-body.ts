import { parseJson } from "@kubewright/apimachinery";
import { isTextTooDeep, isTooDeep, maxDepth } from "../json/depth.ts";
import { duplicateFields } from "../json/duplicate-fields.ts";
import { readYaml, YamlError } from "../yaml/yaml-reader.ts";

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

/**
 * Reads JSON, and which fields are in it twice.
 *
 * @throws {UnreadableText} where it is none, or nests too deep; the text is not quoted, since it may be a Secret's
 */
export function readJsonText(text: string): ReadText {
  try {
    const value = parseJson(text);
    return { value, repeated: duplicateFields(text, value), yamlDuplicates: [] };
  } catch (error) {
    if (!(error instanceof SyntaxError) || isTextTooDeep(text)) throw new TooDeep(tooDeep);
    throw new UnreadableText(`not valid JSON: ${withoutExcerpt(error.message)}`);
  }
}

/** The platform quotes the text where it fails, and that may be a Secret's. */
const withoutExcerpt = (message: string): string => message.replace(/, (?:\.\.\.)?".*$/s, "");

class TooDeep extends UnreadableText {}

const tooDeep = `exceeded max depth of ${maxDepth}`;

/** Reads YAML; text that is JSON takes the shorter way. @throws {UnreadableText} */
export function readYamlText(text: string): ReadText {
  if (/^\s*[{[]/.test(text)) {
    try {
      const read = readJsonText(text);
      if (read.repeated.length === 0) return read;
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      if (error instanceof TooDeep) throw error;
    }
  }
  try {
    const { value, duplicates } = readYaml(text);
    if (isTooDeep(value)) throw new TooDeep(tooDeep);
    return { value, repeated: [], yamlDuplicates: duplicates };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UnreadableText(`yaml: ${error.message}`);
  }
}
