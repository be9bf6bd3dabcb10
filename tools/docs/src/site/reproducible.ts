import type { MarkdownEnv, MarkdownRenderer, UserConfig } from "vitepress";

/** Returns the path of a file, independent of the folders that contain the workspace and its dependencies. */
export const placeOf = (id: string): string =>
  id.replace(/^.*\bnode_modules\//, "node_modules/").replace(/^.*\/\.site\//, "");

/** The parts of Rollup's module information that are used here. */
interface ModuleInfo {
  readonly importers: readonly string[];
}

/** Rollup's information on all modules. */
export interface ModuleGraph<T extends ModuleInfo = ModuleInfo> {
  getModuleIds(): IterableIterator<string>;
  getModuleInfo(id: string): T | null;
}

/**
 * Applies a rule to all modules, and to their importers, in the order of their paths. Otherwise, the results would depend on the order
 * in which Rollup has read the files, because VitePress's rule caches its results for other modules.
 */
export function inOneOrder<Chunk, T extends ModuleInfo>(
  chunkOf: (id: string, graph: ModuleGraph<T>) => Chunk,
): (id: string, graph: ModuleGraph<T>) => Chunk | undefined {
  let chunks: ReadonlyMap<string, Chunk> | undefined;
  return (id, graph) => {
    const ordered: ModuleGraph<T> = {
      getModuleIds: () => byPlace(graph.getModuleIds()).values(),
      getModuleInfo(each) {
        const info = graph.getModuleInfo(each);
        return info && { ...info, importers: byPlace(info.importers) };
      },
    };
    chunks ??= new Map([...ordered.getModuleIds()].map((each) => [each, chunkOf(each, ordered)]));
    return chunks.get(id);
  };
}

const byPlace = (ids: Iterable<string>): string[] =>
  [...ids]
    .map((id) => [placeOf(id), id] as const)
    .sort(([a, idA], [b, idB]) => (a === b ? Number(idA > idB) : a < b ? -1 : 1))
    .map(([, id]) => id);

/** The parts of a highlighted block's tree that are used here. */
export interface CodeNode {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: object;
  readonly value?: string;
  children?: CodeNode[];
}

/**
 * Marks everything in a console block that is not a command as not to be copied: prompts, output, and the line breaks around output.
 * The copy button then copies the commands.
 */
export function withoutOutput(code: CodeNode): void {
  let isCommand = false;
  let hasCommand = false;
  code.children = (code.children ?? []).flatMap((line) => {
    if (line.type === "text") return []; // the line breaks are set below
    const text = textOf(line);
    isCommand = text.startsWith("$ ") || (isCommand && text.startsWith("> "));
    const lineBreak: CodeNode = { type: "text", value: "\n" };
    if (!isCommand) return [ignored([lineBreak, line])];
    line.children = withoutPrompt(line.children ?? []);
    const isFirst = !hasCommand;
    hasCommand = true;
    return [...(isFirst ? [] : [lineBreak]), line];
  });
}

const promptLength = 2;

function withoutPrompt(tokens: readonly CodeNode[]): CodeNode[] {
  let left = promptLength;
  return tokens.flatMap((token) => {
    const text = textOf(token);
    const cut = Math.min(left, text.length);
    left -= cut;
    const withText = (value: string): CodeNode => ({ ...token, children: [{ type: "text", value }] });
    return cut === 0
      ? [token]
      : [ignored([withText(text.slice(0, cut))]), ...(cut < text.length ? [withText(text.slice(cut))] : [])];
  });
}

const ignored = (children: CodeNode[]): CodeNode => ({
  type: "element",
  tagName: "span",
  properties: { class: "vp-copy-ignore" },
  children,
});

const textOf = ({ value = "", children = [] }: CodeNode): string => value + children.map(textOf).join("");

/** Settings of VitePress with which every build of a site produces the same bytes. */
export const reproducible: UserConfig = {
  // Otherwise the order of sections in the search index depends on the order in which files are read.
  buildConcurrency: 1,
  // Otherwise Shiki stops colouring a line after half a second, which happens on a busy machine.
  markdown: {
    codeTransformers: [
      {
        name: "kubewright:copies-commands",
        code(code) {
          if (this.options.lang === "console") withoutOutput(code);
        },
      },
    ],
    shikiSetup(highlighter) {
      const { codeToHtml } = highlighter;
      highlighter.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 });
    },
  },
  // Otherwise generated names depend on the relative path from the pages to node_modules.
  vue: { features: { componentIdGenerator: (path, source, _, hash) => hash(placeOf(path) + source) } },
  vite: {
    plugins: [
      {
        name: "kubewright:chunks-in-one-order",
        configResolved({ build: { rollupOptions } }) {
          for (const output of [rollupOptions.output ?? []].flat())
            if (typeof output.manualChunks === "function") output.manualChunks = inOneOrder(output.manualChunks);
        },
      },
    ],
  },
};

/**
 * Returns the HTML of a page for the search index, in which each heading starts a section. In the generated API pages, headings such as
 * "Parameters" and "Returns" do not: they would double the size of the index. Their text belongs to the section before.
 */
export function searchableHtml(
  source: string,
  env: Pick<MarkdownEnv, "relativePath">,
  markdown: Pick<MarkdownRenderer, "render">,
): string {
  const html = markdown.render(source, env);
  return env.relativePath.startsWith("reference/api/") ? withoutMinorHeadings(html) : html;
}

/** Removes the headings of the levels 4 and 6. Names of exports have level 3, and names of members have level 5. */
const withoutMinorHeadings = (html: string): string => html.replace(/<h([46])\b.*?<\/h\1>/gs, "");
