import { parseJson, quote } from "@kubewright/apimachinery";
import { duplicateFields } from "./duplicate-fields.ts";
import { jsonTypeName } from "./go-names.ts";
import { readYaml, YamlError } from "./yaml-reader.ts";

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
    return { value: parseJson(text), repeated: duplicateFields(text), yamlDuplicates: [] };
  } catch (error) {
    throw new UnreadableText(jsonErrorText(text, error));
  }
}

/** Reads YAML; text that is JSON takes the shorter way. @throws {UnreadableText} */
export function readYamlText(text: string): ReadText {
  if (/^\s*[{[]/.test(text)) {
    try {
      const read = readJsonText(text);
      if (read.repeated.length === 0) return read;
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
    }
  }
  try {
    const { value, duplicates } = readYaml(text);
    return { value, repeated: [], yamlDuplicates: duplicates };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UnreadableText(`yaml: ${error.message}`);
  }
}

/** Go's words for a JSON text that does not parse, as far as they can be told. */
function jsonErrorText(text: string, error: unknown): string {
  if (isCutOff(text)) return "unexpected end of JSON input";
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  // a short text is quoted whole instead of giving the position in it
  const token = /^Unexpected token '(.)'/u.exec(error instanceof Error ? error.message : "")?.[1];
  const char = position === undefined ? token : text[Number(position)];
  if (char === undefined) return "unexpected end of JSON input";
  const isBehind = String(error).includes("after JSON");
  const isFirst = position === "0" || (position === undefined && text.trimStart().startsWith(char));
  const where = isFirst ? "looking for beginning of value" : isBehind ? "after top-level value" : "in JSON text";
  return `invalid character ${quote(char)
    .replace(/^"(.*)"$/, "'$1'")
    .replace('\\"', '"')} ${where}`;
}

function isCutOff(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return text.trim() === "" || /end of JSON|Unterminated|position (\d+)/.test(String(error))
      ? endsThere(text, error)
      : false;
  }
}

function endsThere(text: string, error: unknown): boolean {
  const position = /position (\d+)/.exec(String(error))?.[1];
  return position === undefined || Number(position) >= text.trimEnd().length;
}

/** `json: cannot unmarshal array into Go value of type …` */
export const notAnObject = (value: unknown, type: string): string =>
  `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`;
