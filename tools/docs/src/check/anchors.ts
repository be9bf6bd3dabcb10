import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * Finds links of the built site whose page or heading does not exist. Unlike the check of the sources, it also covers the generated
 * pages, and uses the ids that VitePress has written.
 *
 * @param site folder of the built site
 */
export function deadAnchors(site: string): readonly string[] {
  const pages = new Map(
    globSync("**/*.html", { cwd: site }).map((file) => {
      const html = readFileSync(join(site, file), "utf8");
      return [file.replaceAll("\\", "/"), { links: valuesOf(html, link), ids: new Set(valuesOf(html, id)) }] as const;
    }),
  );
  return [...pages].flatMap(([file, { links }]) =>
    [...new Set(links)].flatMap((target) => {
      const [path = "", anchor = ""] = target.split("#", 2);
      if (anchor === "" || /^[a-z]+:/.test(path)) return [];
      const ids = pages.get(fileOf(file, path))?.ids;
      const name = decodeURIComponent(anchor);
      return ids?.has(name) ? [] : [`${file}: ${target}: no such ${ids ? "heading" : "page"}`];
    }),
  );
}

const link = /<a [^>]*?\bhref="([^"]+)"/g;
const id = /\sid="([^"]+)"/g;

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };

const valuesOf = (html: string, attribute: RegExp): readonly string[] =>
  [...html.matchAll(attribute)].map(([, value = ""]) => value.replace(/&\w+;/g, (name) => entities[name] ?? name));

/** Returns the file that is served at a path, which may be relative to the page. */
function fileOf(page: string, path: string): string {
  if (path === "") return page;
  const file = posix.join(path.startsWith("/") ? "" : posix.dirname(page), path.replace(/^\//, ""));
  if (file === "." || file.endsWith("/")) return posix.join(file, "index.html");
  return file.endsWith(".html") ? file : `${file}.html`;
}
