import { isErrorWithCode, KubewrightError, parseJson } from "@kubewright/apimachinery";
import { isTextTooDeep, isTooDeep, maxDepth } from "../json/depth.ts";
import { duplicateFields } from "../json/duplicate-fields.ts";
import { hugeNumber } from "../json/huge-number.ts";
import { readYaml, YamlError } from "../yaml/yaml-reader.ts";

/** The value of a JSON or YAML document, and the keys that occur more than once in it. */
export interface ReadText {
  readonly value: unknown;
  /** Paths of repeated members in a JSON text. */
  readonly repeated: readonly string[];
  /** Messages of the YAML reader about repeated keys. */
  readonly yamlDuplicates: readonly string[];
}

/** Thrown if a string cannot be parsed. The message is the same as upstream's, but without the prefix. */
export class UnreadableTextError extends KubewrightError {
  override readonly name = "UnreadableTextError";
  readonly code = "ERR_UNREADABLE_TEXT";
}

/** Reports whether an error is an {@link UnreadableTextError}. */
export const isUnreadableTextError = isErrorWithCode<UnreadableTextError>("ERR_UNREADABLE_TEXT");

/**
 * Parses JSON and finds repeated fields.
 *
 * @throws {UnreadableTextError} for invalid JSON, excessive nesting, or a number beyond the range of float64; the
 * message quotes only the number, because the text may contain secrets
 */
export function readJsonText(text: string): ReadText {
  const { huge, ...read } = readJsonBody(text);
  if (huge !== undefined) throw new HugeNumber(huge);
  return read;
}

/** A parsed JSON text that may contain a number beyond the range of float64. */
export interface ReadBody extends ReadText {
  /** Describes the first number beyond the range. In `value`, it is infinity or a `bigint`. */
  readonly huge: string | undefined;
}

/**
 * Parses JSON like {@link readJsonText}, but accepts numbers beyond the range of float64, which upstream accepts in fields that it skips.
 *
 * @throws {UnreadableTextError} for invalid JSON or excessive nesting
 */
export function readJsonBody(text: string): ReadBody {
  try {
    const value = parseJson(text);
    const repeated = duplicateFields(text, value);
    return { value, repeated, yamlDuplicates: [], huge: hugeNumber(text, value) };
  } catch (error) {
    if (!(error instanceof SyntaxError) || isTextTooDeep(text)) throw new TooDeep(tooDeep);
    throw new UnreadableTextError(`not valid JSON: ${withoutExcerpt(error.message)}`);
  }
}

/** Removes the excerpt that the platform's message contains, because the text may contain secrets. */
const withoutExcerpt = (message: string): string => message.replace(/, (?:\.\.\.)?".*$/s, "");

class TooDeep extends UnreadableTextError {}

/** A number beyond the range of float64 in an otherwise valid text. */
export class HugeNumber extends UnreadableTextError {}

const tooDeep = `exceeded max depth of ${maxDepth}`;

/**
 * Parses YAML. Text that is also valid JSON is parsed faster.
 *
 * @throws {UnreadableTextError} if the text is not valid
 */
export function readYamlText(text: string): ReadText {
  if (/^\s*[{[]/.test(text)) {
    try {
      const { huge, ...read } = readJsonBody(text);
      if (read.repeated.length === 0 && huge === undefined) return read;
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
