import { stringifyJson } from "@kubewright/apimachinery";
import { stringify } from "yaml";
import { encodeDocument } from "../protobuf/protobuf-document.ts";
import type { MediaType } from "./negotiate.ts";

/** The bytes of an answer: compact JSON with a final newline, indented JSON if asked for prettiness, YAML, or protobuf. */
export function encode(value: unknown, mediaType: MediaType, pretty: boolean): string | Buffer {
  if (mediaType === "application/vnd.kubernetes.protobuf") return encodeDocument(value);
  if (mediaType === "application/yaml") return toYaml(value);
  return `${stringifyJson(value, pretty ? 2 : undefined)}\n`;
}

/** YAML that readers of YAML 1.1 understand. */
function toYaml(value: unknown): string {
  const text = stringify(value, {
    version: "1.1",
    aliasDuplicateObjects: false,
    lineWidth: 0,
    sortMapEntries: true,
    indentSeq: false,
  });
  // upstream's writer leaves this key bare, which every managed field has
  return text.replaceAll(/^( *)"\.": \{\}$/gm, "$1.: {}");
}

const humans = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Whether JSON is indented: `pretty=true`, or the user agent is one people look at. */
export function wantsPretty(pretty: string | null | undefined, userAgent: string | undefined): boolean {
  if (pretty !== null && pretty !== undefined) return pretty === "true" || pretty === "1" || pretty === "";
  return humans.test(userAgent ?? "");
}
