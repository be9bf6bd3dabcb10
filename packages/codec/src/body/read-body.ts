import { isErrorWithCode, KubewrightError, parseJson } from "@kubewright/apimachinery";
import { isTextTooDeep, isTooDeep, maxDepth } from "../json/depth.ts";
import { duplicateFields } from "../json/duplicate-fields.ts";
import { readYaml, YamlError } from "../yaml/yaml-reader.ts";

/** Value of a JSON or YAML text, and the keys that the text repeats. */
export interface ReadText {
  readonly value: unknown;
  /** Paths of repeated members in a JSON text. */
  readonly repeated: readonly string[];
  /** Messages of the YAML reader about repeated keys. */
  readonly yamlDuplicates: readonly string[];
}

/** Thrown if a text cannot be parsed. The message is upstream's without the prefix. */
export class UnreadableTextError extends KubewrightError {
  override readonly name = "UnreadableTextError";
  readonly code = "ERR_UNREADABLE_TEXT";
}

/** Reports whether an error is an {@link UnreadableTextError}. */
export const isUnreadableTextError = isErrorWithCode<UnreadableTextError>("ERR_UNREADABLE_TEXT");

/**
 * Parses JSON and finds repeated fields.
 *
 * @throws {UnreadableTextError} for invalid JSON or excessive nesting; the message does not quote the text, which may contain secrets
 */
export function readJsonText(text: string): ReadText {
  try {
    const value = parseJson(text);
    return { value, repeated: duplicateFields(text, value), yamlDuplicates: [] };
  } catch (error) {
    if (!(error instanceof SyntaxError) || isTextTooDeep(text)) throw new TooDeep(tooDeep);
    throw new UnreadableTextError(`not valid JSON: ${withoutExcerpt(error.message)}`);
  }
}

/** Removes the excerpt that the platform's message contains, because the text may contain secrets. */
const withoutExcerpt = (message: string): string => message.replace(/, (?:\.\.\.)?".*$/s, "");

class TooDeep extends UnreadableTextError {}

const tooDeep = `exceeded max depth of ${maxDepth}`;

/** Parses YAML. A text that is also JSON is parsed faster. @throws {UnreadableTextError} if the text is not valid */
export function readYamlText(text: string): ReadText {
  if (/^\s*[{[]/.test(text)) {
    try {
      const read = readJsonText(text);
      if (read.repeated.length === 0) return read;
    } catch (error) {
      if (!(error instanceof UnreadableTextError)) throw error;
      if (error instanceof TooDeep) throw error;
    }
  }
  try {
    const { value, duplicates } = readYaml(text);
    if (isTooDeep(value)) throw new TooDeep(tooDeep);
    return { value, repeated: [], yamlDuplicates: duplicates };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UnreadableTextError(`yaml: ${error.message}`);
  }
}
