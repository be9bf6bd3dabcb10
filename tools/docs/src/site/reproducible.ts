import type { UserConfig } from "vitepress";

/** Where a file lies, whatever folder the workspace and its dependencies lie in. */
export const placeOf = (id: string): string =>
  id.replace(/^.*\bnode_modules\//, "node_modules/").replace(/^.*\/\.site\//, "");

/** What Rollup says of a module; of it, what is asked for here. */
interface ModuleInfo {
  readonly importers: readonly string[];
}

/** What Rollup knows of all modules. */
export interface ModuleGraph<T extends ModuleInfo = ModuleInfo> {
  getModuleIds(): IterableIterator<string>;
  getModuleInfo(id: string): T | null;
}

/**
 * Asks a rule about all modules in the order of their places, importers too. VitePress's keeps what it said of others, so that its answers
 * follow the order in which Rollup happens to have read the files.
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

/** Settings of VitePress with which a site has the same bytes wherever and whenever it is built. */
export const reproducible: UserConfig = {
  // Otherwise the search lists sections in the order in which their files happen to be read.
  buildConcurrency: 1,
  // Otherwise a line that takes Shiki half a second keeps the colours it has by then, on a busy machine.
  markdown: {
    shikiSetup(highlighter) {
      const { codeToHtml } = highlighter;
      highlighter.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 });
    },
  },
  // Otherwise styles and markup bear names that follow from the way between the pages and node_modules.
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
