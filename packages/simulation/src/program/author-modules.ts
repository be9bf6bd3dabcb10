import { readFileSync } from "node:fs";
import { type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";

/** Marks the URL of a module with the number of its copy. */
const mark = "kubewright-simulation";
const markOf = (url: string | undefined): string | undefined =>
  url?.includes(mark) ? (new URL(url).searchParams.get(mark) ?? undefined) : undefined;

/** Number of copies so far. Node never unloads a module, so each number is used only once, even across simulations. */
let copies = 0;

/** Module that loads other modules natively, no matter how it was loaded itself. */
interface NativeImport {
  importNatively(url: string): Promise<object>;
}

/**
 * Loads a fresh copy of a program's modules for each of its processes, so that each process has its own module state.
 * Libraries (modules in `node_modules`, and the packages in this repository) are loaded only once.
 */
export class AuthorModules {
  readonly #program: string;
  readonly #isLibrary: (url: string) => boolean;
  readonly #sources = new Map<string, string>();
  /** Modules that were imported before, keyed by the importing file and the specifier. */
  readonly #resolved = new Map<string, ResolveFnOutput>();
  readonly #native: NativeImport;
  readonly #deregister: () => void;

  /**
   * @param program URL of the program's main module
   * @param native loads modules without a test runner's transformations
   */
  constructor(program: URL, native: NativeImport) {
    this.#program = program.href;
    this.#native = native;
    const packages = new URL("../../../", import.meta.url).href;
    const isSource = import.meta.url.endsWith(".ts");
    this.#isLibrary = (url) =>
      !url.startsWith("file:") ||
      url.includes("/node_modules/") ||
      (isSource && url.startsWith(packages) && /^[^/]+\/src\//.test(url.slice(packages.length)));
    const hooks = registerHooks({
      resolve: (specifier, context, next) => {
        const conditions = isSource ? { conditions: ["@kubewright/source", ...context.conditions] } : {};
        const { parentURL } = context;
        const copy = markOf(parentURL);
        if (parentURL === undefined || copy === undefined) return next(specifier, { ...context, ...conditions });
        // All copies of a module import the same files.
        const place = `${withoutQuery(parentURL)} ${specifier}`;
        const known = this.#resolved.get(place);
        const resolved = known ?? { ...next(specifier, { ...context, ...conditions }), shortCircuit: true };
        if (!known) this.#resolved.set(place, resolved);
        return this.#isLibrary(resolved.url) ? resolved : { ...resolved, url: marked(resolved.url, copy) };
      },
      load: (url, context, next) => {
        if (markOf(url) === undefined || !/\.m?ts$/.test(new URL(url).pathname)) return next(url, context);
        return { format: "module", source: this.#source(url), shortCircuit: true };
      },
    });
    this.#deregister = () => hooks.deregister();
  }

  /** Loads a copy of the program's modules. @throws the error of a module that cannot be loaded */
  load(): Promise<object> {
    return this.#native.importNatively(marked(this.#program, String(++copies)));
  }

  close(): void {
    this.#deregister();
  }

  /** Returns the JavaScript of a module, which is read and converted only once. */
  #source(url: string): string {
    const path = fileURLToPath(withoutQuery(url));
    const known = this.#sources.get(path);
    if (known !== undefined) return known;
    const source = stripTypeScriptTypes(readFileSync(path, "utf8"), { sourceUrl: withoutQuery(url) });
    this.#sources.set(path, source);
    return source;
  }
}

function marked(url: string, copy: string): string {
  const changed = new URL(url);
  changed.searchParams.set(mark, copy);
  return changed.href;
}

function withoutQuery(url: string): string {
  const changed = new URL(url);
  changed.search = "";
  return changed.href;
}
