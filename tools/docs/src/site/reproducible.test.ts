import { expect, it } from "vitest";
import {
  type CodeNode,
  inOneOrder,
  type ModuleGraph,
  placeOf,
  reproducible,
  searchableHtml,
  withoutOutput,
} from "./reproducible.ts";

it.each([
  ["/a/w/node_modules/vitepress/dist/client/x.js", "node_modules/vitepress/dist/client/x.js"],
  ["../../../w/node_modules/a/node_modules/b/x.vue", "node_modules/b/x.vue"],
  ["/a/w/tools/docs/.site/guide/a.md", "guide/a.md"],
  ["guide/a.md", "guide/a.md"],
  ["\0plugin-vue:export-helper", "\0plugin-vue:export-helper"],
])("returns for %j the place %j", (id, place) => expect(placeOf(id)).toBe(place));

it("names a component independently of the workspace's folder, but not of its source", () => {
  const features = reproducible.vue?.features;
  const name = (path: string, source: string): unknown =>
    typeof features?.componentIdGenerator === "function"
      ? features.componentIdGenerator(path, source, true, (text) => text)
      : undefined;
  expect(name("../../../node_modules/t/A.vue", "a")).toBe(name("../../../../elsewhere/node_modules/t/A.vue", "a"));
  expect(name("../../../node_modules/t/A.vue", "a")).not.toBe(name("../../../node_modules/t/A.vue", "b"));
});

it("colours all code, regardless of the time needed", () => {
  const asked: unknown[] = [];
  const codeToHtml = (_code: string, options: object): string => String(asked.push(options));
  const highlighter = { codeToHtml };
  Reflect.apply(reproducible.markdown?.shikiSetup ?? (() => {}), undefined, [highlighter]);
  highlighter.codeToHtml("const a = 1;", { lang: "ts" });
  expect(asked).toEqual([{ lang: "ts", tokenizeTimeLimit: 0 }]);
});

/** Applies a rule like VitePress's, which caches its results even within a cycle, to a cycle of three modules. */
function assigned(folder: string, readInOrder: readonly string[]): Readonly<Record<string, string | undefined>> {
  const ids = readInOrder.map((name) => `${folder}/node_modules/${name}`);
  const importers = new Map([
    ["a", ["entry", "c"]],
    ["b", ["a"]],
    ["c", ["b"]],
    ["entry", []],
  ]);
  const graph = {
    getModuleIds: () => ids.values(),
    getModuleInfo: (id: string) => {
      const known = importers.get(placeOf(id).replace("node_modules/", "")) ?? [];
      return {
        importers: readInOrder.filter((name) => known.includes(name)).map((name) => `${folder}/node_modules/${name}`),
      };
    },
  };
  const isEager = new Map<string, boolean>();
  const eager = (id: string, all: ModuleGraph, way: readonly string[]): boolean => {
    const answer =
      isEager.get(id) ??
      (!way.includes(id) &&
        (id.endsWith("/entry") || !!all.getModuleInfo(id)?.importers.some((each) => eager(each, all, [...way, id]))));
    isEager.set(id, answer);
    return answer;
  };
  const chunkOf = inOneOrder((id, all: ModuleGraph) => (eager(id, all, []) ? "framework" : "page"));
  return Object.fromEntries(ids.map((id) => [placeOf(id), chunkOf(id, graph)]));
}

it("puts modules into the same chunks regardless of reading order and folder", () => {
  const first = assigned("/x", ["entry", "a", "b", "c"]);
  expect(assigned("/y/z", ["c", "b", "a", "entry"])).toEqual(first);
  expect(assigned("/y/z", ["b", "c", "entry", "a"])).toEqual(first);
});

it("omits the headings of parameters and results from the search index, but not those of names, nor any text", () => {
  const section = (level: number, text: string): string =>
    `<h${level} id="x">${text} <a class="header-anchor" href="#x">&#8203;</a></h${level}>\n<p>about ${text}</p>`;
  const page = [section(3, "Client"), section(4, "Methods"), section(5, "get"), section(6, "Returns")].join("\n");
  const kept = [section(3, "Client"), "<p>about Methods</p>", section(5, "get"), "<p>about Returns</p>"];
  const searchable = (relativePath: string): string =>
    searchableHtml(page, { relativePath }, { render: (html) => html }).replace(/\n+/g, "\n");
  expect(searchable("reference/api/client.md")).toBe(kept.join("\n"));
  expect(searchable("guide/client.md")).toBe(page);
});

it("copies the commands of a console block, not prompts and output", () => {
  const token = (value: string): CodeNode => ({
    type: "element",
    tagName: "span",
    properties: { style: "color: red" },
    children: [{ type: "text", value }],
  });
  const line = (...parts: string[]): CodeNode => ({ type: "element", tagName: "span", children: parts.map(token) });
  const lines = [line("$", " cat", " <<E"), line("> text"), line("> E"), line("text"), line("> quoted"), line("$ ls")];
  const block: CodeNode = {
    type: "element",
    children: lines.flatMap((each, index) => (index === 0 ? [each] : [{ type: "text", value: "\n" }, each])),
  };
  const shown = (node: CodeNode, isWhole: boolean): string => {
    const isIgnored = node.properties !== undefined && "class" in node.properties;
    if (isIgnored && !isWhole) return "";
    return (node.value ?? "") + (node.children ?? []).map((child) => shown(child, isWhole)).join("");
  };
  const before = shown(block, true);
  withoutOutput(block);
  expect(shown(block, true)).toBe(before);
  expect(shown(block, false)).toBe("cat <<E\ntext\nE\nls");
});
