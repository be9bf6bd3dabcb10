import type { GeneratedFile } from "../generated-file.ts";
import { resourcesOf, servedVersions } from "./catalogue.ts";
import type { RealServer } from "./real-server.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
}

const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Generates the columns of every list: `Name | Status:type`, with a star for columns that only `-o wide` shows. */
export async function tableColumns(server: RealServer): Promise<GeneratedFile> {
  const columns: [string, string][] = [];
  for (const [version, path] of await servedVersions(server))
    for (const { name, verbs } of (await resourcesOf(server, path)).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (name.includes("/") || !verbs.includes("list")) continue;
      const table = await server.get<{ readonly columnDefinitions: readonly Column[] }>(`${path}/${name}`, asTable);
      columns.push([`${version}/${name}`, table.columnDefinitions.map(columnText).join(" | ")]);
    }
  const lines = columns.map((pair) => ` ${pair.map((text) => JSON.stringify(text)).join(": ")}`);
  return {
    path: "packages/kube-apiserver/src/kinds/testdata/table-columns.json",
    text: `{\n${lines.join(",\n")}\n}\n`,
  };
}

const columnText = ({ name, type, priority }: Column): string =>
  `${name}${type === "string" ? "" : `:${type}`}${priority ? "*" : ""}`;
