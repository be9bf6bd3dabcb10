import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { RealServer } from "./real-server.ts";

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Returns the paths of all served group versions, keyed by `apiVersion`, in the order of discovery. */
export async function servedVersions(server: RealServer): Promise<Map<string, string>> {
  const { groups } = await server.get<{
    readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  }>("/apis");
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  return new Map([["v1", "/api/v1"], ...versions.map((version): [string, string] => [version, `/apis/${version}`])]);
}

export async function resourcesOf(server: RealServer, path: string): Promise<readonly ApiResource[]> {
  return (await server.get<{ readonly resources: readonly ApiResource[] }>(path)).resources;
}

const allVerbs = "create,delete,deletecollection,get,list,patch,update,watch";
const subresourceVerbs = "get,patch,update";

/** Returns one line for each resource, with its subresources. @see packages/codec/src/schema/catalogue.ts */
export function catalogueLines(resources: readonly ApiResource[]): string[] {
  const parents = resources.filter(({ name }) => !name.includes("/"));
  return parents
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((parent) => {
      const verbs = parent.verbs.toSorted().join(",");
      const own = resources.filter(({ name }) => name.startsWith(`${parent.name}/`));
      return [
        ...[parent.name, parent.kind, parent.singularName, parent.namespaced ? "N" : "C"],
        verbs === allVerbs ? "*" : verbs,
        ...(parent.shortNames ? [`[${parent.shortNames.join(",")}]`] : []),
        ...(parent.categories ? [`<${parent.categories.join(",")}>`] : []),
        ...own.map((each) => subresourceText(each, parent)).sort(),
      ].join(" ");
    });
}

function subresourceText({ name, kind, group = "", version = "", verbs }: ApiResource, parent: ApiResource): string {
  const allowed = verbs.toSorted().join(",");
  const local = name.slice(name.indexOf("/") + 1);
  const type = kind === parent.kind ? "" : `=${group}/${version}/${kind}`;
  return `${local}${allowed === subresourceVerbs ? "" : `:${allowed}`}${type}`;
}

export async function catalogue(server: RealServer): Promise<GeneratedFile> {
  const lines: string[] = [];
  for (const [version, path] of await servedVersions(server))
    lines.push(`## ${version}`, ...catalogueLines(await resourcesOf(server, path)));
  return tableModule("packages/codec/src/schema/catalogue-lines.ts", "the discovery of kube-apiserver", [
    {
      name: "catalogueLines",
      comment: "The resources that kube-apiserver serves by default, in the same order as in its discovery.",
      lines,
    },
  ]);
}
