import type { GroupVersionKind, Scope } from "@kubewright/apimachinery";
import { catalogueLines } from "./catalogue-lines.ts";

/** Verb that a built-in resource supports. */
export type CatalogueVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A built-in resource in one version, as described by discovery. */
export interface CatalogueEntry {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  readonly verbs: readonly CatalogueVerb[];
  readonly subresources: readonly {
    readonly name: string;
    readonly verbs: readonly CatalogueVerb[];
    readonly kind: GroupVersionKind;
  }[];
}

/*
 * A line of the table is
 *   resource Kind singular N|C verbs [shortNames] <categories> subresource[:verbs][=group/version/Kind]
 * where N is namespaced, `*` is all verbs, and a subresource has get, patch and update and its parent's kind unless stated.
 */
const allVerbs: readonly CatalogueVerb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const isVerb = (text: string): text is CatalogueVerb => allVerbs.some((verb) => verb === text);
const verbsOf = (text: string): readonly CatalogueVerb[] => (text === "*" ? allVerbs : text.split(",").filter(isVerb));

/** All built-in resources. The core group comes first, and the versions of each group are sorted by preference. */
export const builtinCatalogue: readonly CatalogueEntry[] = readCatalogue();

function readCatalogue(): CatalogueEntry[] {
  const entries: CatalogueEntry[] = [];
  let group = "";
  let version = "";
  for (const line of catalogueLines.trim().split("\n")) {
    const [first = "", kind = "", singular = "", scope = "", verbs = "", ...rest] = line.split(" ");
    if (first === "##") {
      const at = kind.indexOf("/");
      group = at < 0 ? "" : kind.slice(0, at);
      version = kind.slice(at + 1);
      continue;
    }
    const own: GroupVersionKind = { group, version, kind };
    entries.push({
      ...own,
      resource: first,
      listKind: `${kind}List`,
      singular,
      scope: scope === "N" ? "Namespaced" : "Cluster",
      verbs: verbsOf(verbs),
      shortNames: bracketed(rest, "["),
      categories: bracketed(rest, "<"),
      subresources: rest.filter((word) => /^[a-z]/.test(word)).map((word) => subresource(word, own)),
    });
  }
  return entries;
}

function bracketed(words: readonly string[], open: string): string[] {
  return words.filter((word) => word.startsWith(open)).flatMap((word) => word.slice(1, -1).split(","));
}

function subresource(word: string, own: GroupVersionKind): CatalogueEntry["subresources"][number] {
  const [left = "", type] = word.split("=", 2);
  const [name = "", verbs = "get,patch,update"] = left.split(":", 2);
  if (type === undefined) return { name, verbs: verbsOf(verbs), kind: own };
  const [group = "", version = "", kind = ""] = type.split("/");
  return { name, verbs: verbsOf(verbs), kind: { group, version: version || own.version, kind } };
}
