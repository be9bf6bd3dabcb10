import { Document, Scalar, visit } from "yaml";

/** First line of every generated manifest. */
export const header = "# Written by kubewright generate; change src/, or patch in config/overlays\n";

/** Formats documents as YAML with sorted members. The first line is a comment that states their origin. */
export function yamlText(documents: readonly object[]): string {
  return header + documents.map((one) => documentText(asJson(one), true)).join("---\n");
}

/** Removes undefined members. */
const asJson = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** Characters that only older parsers, such as kubectl's, treat as line ends. The text after one could become a field. */
const lineEnd = /[\u0085\u2028\u2029\ufeff]/;

/**
 * Formats one document as YAML that all parsers, including kubectl's older one, read in the same way. Does not add the header.
 *
 * @param isSorted true to sort members alphabetically. Default false: members keep their order
 */
export function documentText(value: unknown, isSorted = false): string {
  const document = new Document(value, {
    sortMapEntries: isSorted,
    aliasDuplicateObjects: false,
    // Older parsers read `yes` and `on` as booleans.
    compat: "yaml-1.1",
  });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && lineEnd.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return document.toString({ lineWidth: 0 }).replace(new RegExp(lineEnd, "g"), escaped);
}
