import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type Finding, linesOf } from "./finding.ts";
import { linkOf } from "./sidebar.ts";

const link = /(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Returns the links of a page, except links in code. */
interface Link {
  readonly line: number;
  readonly text: string;
  readonly target: string;
}

function linksOf(text: string): readonly Link[] {
  const lines = linesOf(text);
  const head = lines[0]?.line === "---" ? lines.findIndex(({ line }, index) => index > 0 && line === "---") : -1;
  return lines.flatMap(({ line, isCode }, index) => {
    // The buttons of the home page link to addresses of the site instead of files.
    const [, address] = (index < head && /^[\s-]*link: (\/\S*)\s*$/.exec(line)) || [];
    if (address !== undefined) return [{ line: index + 1, text: "", target: address }];
    return isCode
      ? []
      : [...line.matchAll(link)].map(([, label = "", target = ""]) => ({ line: index + 1, text: label, target }));
  });
}

const isAbroad = (target: string): boolean => /^[a-z]+:/.test(target);

/**
 * Finds dead links of a page: to a missing page, to a missing heading or, outside of the pages, to a missing file of
 * the workspace.
 *
 * @param pages all pages, keyed by path from the root (`docs/guide/controllers.md`), including generated ones
 */
export function deadLinks(root: string, pages: ReadonlyMap<string, string>, file: string): readonly Finding[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  return linksOf(pages.get(file) ?? "").flatMap(({ line, target }) => {
    if (isAbroad(target)) return [];
    const [path = "", anchor] = target.split("#", 2);
    const found = path === "" ? file : placeOf(root, pages, file, path);
    if (found === undefined) return [{ file, line, message: `${target}: no such page or file` }];
    const page = pages.get(found);
    if (anchor === undefined || page === undefined) return [];
    const known = anchors.get(found) ?? anchorsOf(page);
    anchors.set(found, known);
    return known.has(decodeURIComponent(anchor))
      ? []
      : [{ file, line, message: `${target}: ${found} has no such heading` }];
  });
}

function placeOf(root: string, pages: ReadonlyMap<string, string>, file: string, path: string): string | undefined {
  const place = normalize(path.startsWith("/") ? join("docs", path) : join(dirname(file), path))
    .replaceAll("\\", "/")
    .replace(/\/$/, "");
  const names = [place, `${place}.md`, `${place}/index.md`];
  const page = names.find((name) => pages.has(name));
  if (page !== undefined) return page;
  return !place.startsWith("..") && existsSync(join(root, place)) ? place : undefined;
}

/** Replaces links to files of the repository, which have no target on the site, with text. */
export function withoutWaysOut(root: string, pages: ReadonlyMap<string, string>, file: string): string {
  return linesOf(pages.get(file) ?? "")
    .map(({ line, isCode }) =>
      isCode
        ? line
        : line.replace(link, (whole, text: string, target: string) => {
            if (isAbroad(target) || target.startsWith("#")) return whole;
            const place = placeOf(root, pages, file, target.split("#", 1)[0] ?? "");
            return place === undefined || pages.has(place) ? whole : `${text} (\`${place}\`)`;
          }),
    )
    .join("\n");
}

/** Returns the anchors of a page's headings as VitePress generates them, including explicit and HTML ids. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (slug: string): void => {
    let name = slug;
    for (let index = 1; found.has(name); index++) name = `${slug}-${index}`;
    found.add(name);
  };
  for (const { line, isCode } of linesOf(text)) {
    for (const [, id = ""] of line.matchAll(/<[a-z]+[^>]* id="([^"]+)"/g)) found.add(id);
    const [, heading] = (!isCode && /^#{1,6} +(.+)$/.exec(line)) || [];
    if (heading === undefined) continue;
    const [, given] = /\{#([^}]+)\}\s*$/.exec(heading) ?? [];
    add(given ?? slugOf(heading));
  }
  return found;
}

function slugOf(heading: string): string {
  const plain = heading
    .replace(link, "$1")
    .replace(/\\(.)/g, "$1")
    .replace(/`/g, "")
    .replace(/(?<![\w])[*_]+|[*_]+(?![\w])/g, "");
  return plain
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .replace(/^(\d)/, "_$1")
    .toLowerCase();
}

/** Current addresses of pages that have moved, keyed by their former addresses. */
const moved: Readonly<Record<string, string>> = {
  "/start/ten-minutes": "/start/get-started",
  "/tutorial/01-cronjob": "/tutorial/cronjob",
  "/tutorial/02-a-second-version": "/tutorial/second-version",
  "/tutorial/03-an-external-device": "/tutorial/external-device",
  "/guide/01-a-controller": "/guide/controllers",
  "/guide/02-tests": "/guide/testing",
  "/guide/03-a-control-plane-of-your-own": "/guide/control-plane",
  "/guide/04-envtest-everywhere": "/guide/envtest",
  "/guide/05-a-new-rule-kind": "/contributing/rule-kinds",
  "/guide/06-the-next-kubernetes": "/contributing/next-kubernetes",
  "/guide/07-webhooks": "/guide/webhooks",
  "/guide/08-versions": "/guide/versions",
  "/guide/09-certificates": "/guide/certificates",
  "/guide/10-users-and-buckets": "/sdewan/users-and-buckets",
  "/guide/11-installing-the-sdewan-operator": "/sdewan/installing",
  "/guide/12-sdewan-alerts": "/sdewan/alerts",
  "/guide/13-image-and-deployment": "/guide/building",
  "/guide/14-developing-and-mending": "/guide/debugging",
  "/guide/15-releasing": "/contributing/releasing",
  "/guide/16-traces": "/guide/traces",
  "/guide/17-go-tests": "/guide/go-tests",
};

/**
 * Returns the files that redirect from the former addresses of pages, keyed by path in the site. The script keeps the
 * part after `#`.
 *
 * @throws {Error} if a page has a former address, or a redirect has no page
 */
export function redirects(
  pages: ReadonlyMap<string, string>,
  from: Readonly<Record<string, string>> = moved,
): ReadonlyMap<string, string> {
  const known = new Set([...pages.keys()].map(linkOf));
  return new Map(
    Object.entries(from).map(([old, now]) => {
      if (known.has(old)) throw new Error(`${old}: redirects to ${now}, but is a page`);
      if (!known.has(now)) throw new Error(`${old}: redirects to ${now}, which is not a page`);
      return [
        `${old.slice(1)}.html`,
        `<!doctype html><html lang="en"><meta charset="utf-8"><title>Moved</title><script>location.replace(${JSON.stringify(now)} + location.hash)</script><meta http-equiv="refresh" content="0; url=${now}"><p>This page has moved to <a href="${now}">${now}</a>.</p></html>\n`,
      ];
    }),
  );
}
