import { stringifyJson } from "@kubewright/apimachinery";
import { stringify } from "yaml";
import { encodeDocument } from "../protobuf/protobuf-document.ts";
import type { MediaType } from "./negotiate.ts";

/** Encodes a response as JSON (compact with a final newline or, on request, indented), YAML or protobuf. */
export function encode(value: unknown, mediaType: MediaType, pretty: boolean): string | Buffer {
  if (mediaType === "application/vnd.kubernetes.protobuf") return encodeDocument(value);
  if (mediaType === "application/yaml") return toYaml(value);
  return `${stringifyJson(value, pretty ? 2 : undefined)}\n`;
}

/** Writes YAML that parsers for YAML 1.1 can read. */
function toYaml(value: unknown): string {
  const text = stringify(value, {
    version: "1.1",
    aliasDuplicateObjects: false,
    lineWidth: 0,
    sortMapEntries: true,
    indentSeq: false,
  });
  // upstream does not quote this key, which every entry of the managed fields contains
  return text.replaceAll(/^( *)"\.": \{\}$/gm, "$1.: {}");
}

const humans = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Reports whether JSON must be indented, because the request has `pretty=true` or its user agent is interactive. */
export function wantsPretty(pretty: string | null | undefined, userAgent: string | undefined): boolean {
  if (pretty !== null && pretty !== undefined) return pretty === "true" || pretty === "1" || pretty === "";
  return humans.test(userAgent ?? "");
}
