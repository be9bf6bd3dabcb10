import { Document, Scalar, visit } from "yaml";

/** The first line of every manifest that is written. */
export const header = "# Written by kubewright generate; change src/, or patch in config/overlays\n";

/** Documents as YAML, after the line that says where they come from. Members are in alphabetical order, so that it is one order. */
export function yamlText(documents: readonly object[]): string {
  return header + documents.map((one) => documentText(asJson(one), true)).join("---\n");
}

/** As it will travel: members that are undefined are not there. */
const asJson = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** Line ends to older parsers, kubectl's among them, and to no others: what follows one would be read as a field of its own. */
const lineEnd = /[\u0085\u2028\u2029\ufeff]/;

/**
 * One document as every parser takes it, kubectl's older one included, and without a line before it.
 *
 * @param isSorted whether members are in alphabetical order; default: as they are in the object
 */
export function documentText(value: unknown, isSorted = false): string {
  const document = new Document(value, {
    sortMapEntries: isSorted,
    aliasDuplicateObjects: false,
    // To the same parsers `yes` and `on` are booleans.
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
