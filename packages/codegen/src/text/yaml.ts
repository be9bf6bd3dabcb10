import { stringify } from "yaml";

/** The first line of every manifest that is written. */
export const header = "# Written by kubewright generate; change src/, or patch in config/overlays\n";

/** Documents as YAML, after the line that says where they come from. Members are in alphabetical order, so that it is one order. */
export function yamlText(documents: readonly object[]): string {
  const options = {
    sortMapEntries: true,
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Older parsers, kubectl's among them, take `yes` and `on` for booleans.
    compat: "yaml-1.1",
  } as const;
  // Through JSON, as it will travel: members that are undefined are not there.
  return header + documents.map((one) => stringify(JSON.parse(JSON.stringify(one)), options)).join("---\n");
}
