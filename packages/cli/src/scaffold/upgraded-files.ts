import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { TextFile } from "../project/files.ts";
import type { Texts } from "./base.ts";
import { hasMarks, mergeFile } from "./merge-file.ts";

/** Result of upgrading one file of the scaffold. */
export interface Upgraded {
  readonly path: string;
  readonly outcome: "added" | "replaced" | "merged" | "conflict" | "kept" | "removed" | "same";
  /** New content; undefined if the file must not exist. */
  readonly text?: string | undefined;
  /** Base for merging in the next upgrade; undefined if the scaffold no longer contains the file. */
  readonly base?: string | undefined;
  /** The scaffold's text if the conflict is unresolved. */
  readonly offered?: string | undefined;
  /** Reason for the outcome, if it is not obvious. */
  readonly message?: string | undefined;
}

export interface UpgradeOf {
  /** Text of the earlier scaffold. */
  readonly base: string | undefined;
  /** Current text. */
  readonly yours: string | undefined;
  /** Text of the current scaffold. */
  readonly next: string | undefined;
  /** The scaffold's text in the last upgrade's unresolved conflict. */
  readonly offered: string | undefined;
}

/**
 * Upgrades one file of the scaffold.
 *
 * @param label label for the scaffold's text in conflict markers
 */
export function upgradedFile(path: string, { yours, next, offered, ...one }: UpgradeOf, label: string): Upgraded {
  if (offered !== undefined && yours !== undefined && hasMarks(yours))
    return {
      ...{ path, outcome: "conflict", text: yours, base: one.base, offered },
      message: "still contains conflict markers from the last upgrade; resolve them",
    };
  // The user has resolved the earlier conflict.
  const base = offered ?? one.base;
  if (next === undefined) {
    if (yours === undefined) return { path, outcome: "same" };
    if (yours === base) return { path, outcome: "removed" };
    return { path, outcome: "kept", text: yours, message: "you changed it, and the scaffold no longer contains it" };
  }
  if (yours === undefined)
    return base === undefined
      ? { path, outcome: "added", text: next, base: next }
      : { path, outcome: "same", base: next };
  if (yours === next || base === next) return { path, outcome: "same", text: yours, base: next };
  if (yours === base) return { path, outcome: "replaced", text: next, base: next };
  const { text, conflicts } = mergeFile({ base: base ?? "", yours, next }, label);
  if (conflicts === 0) return { path, outcome: "merged", text, base: next };
  const message = `${conflicts} ${conflicts === 1 ? "conflict" : "conflicts"} to resolve`;
  return { path, outcome: "conflict", text, base, offered: next, message };
}

/** Upgrades all files of the earlier and the current scaffold, sorted by path. */
export function upgradedFiles(
  texts: { readonly base: Texts; readonly next: Texts; readonly offered: Texts },
  yoursAt: (path: string) => string | undefined,
  label: string,
): Upgraded[] {
  const { base, next, offered } = texts;
  const at = (of: Texts, path: string): string | undefined => (Object.hasOwn(of, path) ? of[path] : undefined);
  return [...new Set([...Object.keys(base), ...Object.keys(next)])].sort().map((path) => {
    const one = { base: at(base, path), next: at(next, path), offered: at(offered, path), yours: yoursAt(path) };
    return upgradedFile(path, one, label);
  });
}

/** Names in earlier versions, and their current names. `docs/guide/renames.md` lists them for users. */
const renames: Readonly<Record<string, string>> = {
  // imported
  BuilderSettings: "BuilderOptions",
  cachedKind: "byObject",
  ControllerSettings: "CommonControllerOptions",
  ExpiringStore: "TTLStore",
  isAlreadyOwned: "isAlreadyOwnedError",
  isNotLeading: "isNotLeadingError",
  isNotSupportedByTestBed: "isNotSupportedByTestBedError",
  isResourceNotCached: "isResourceNotCachedError",
  JsonPatchTestFailed: "JsonPatchTestError",
  NotSupportedByTestBed: "NotSupportedByTestBedError",
  PushStore: "UndeltaStore",
  SecretSettings: "SecretOptions",
  SimpleHandler: "IndexerInformerHandler",
  SimpleInformer: "IndexerInformer",
  SimpleInformerOptions: "IndexerInformerOptions",
  WebhookSettings: "WebhookConfigurationOptions",
  // methods, and properties of options
  ".sharing(": ".index(",
  ".watchesSource(": ".watchesRawSource(",
  "uncached:": "disableFor:",
};

/** Names that moved to another entry point of their package. */
const moves = [
  {
    from: "@kubewright/cache",
    to: "@kubewright/cache/tools",
    names: new Set([
      ...["ChangeEvent", "ClientListWatchOptions", "Delta", "DeltaFIFO", "DeltaFIFOOptions", "ExpiringStoreOptions"],
      ...["FullList", "Indexer", "IndexerInformer", "IndexerInformerHandler"],
      ...["IndexerInformerOptions", "IndexerOptions", "InformerWatch", "KeyError", "KeyedSyncTracker", "Lazy"],
      ...["ListPage", "ListPager", "ListPagerOptions", "ListRequest", "ListerWatcher", "MutationCache"],
      ...["MutationCacheOptions", "Reflector", "ReflectorBackoffOptions", "ReflectorOptions", "ReflectorStore"],
      ...["Replacement", "RetryDeadline", "RetryDeadlineOptions", "RetryWatchOptions", "SourceEvent"],
      ...["StoreWrite", "SyncTracker", "TTLStore", "TransactionError", "UndeltaStore"],
      ...["UntilCondition", "UntilError", "UntilWithSyncOptions", "VeryShortWatchError", "WatchRequest"],
      ...["byNamespace", "clientListWatch", "deepFreeze", "deletionHandlingKeyOf"],
      ...[
        "informerWatch",
        "metaNamespaceKeyOf",
        "namespaceIndex",
        "retryWatch",
        "until",
        "untilWithSync",
        "watchListRequestFrom",
      ],
    ]),
  },
];

/** Comments, strings and parts of templates, which stay as they are. */
const texts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const names = Object.keys(renames).map(
  (name) => `${/^\w/.test(name) ? "\\b" : ""}${escaped(name)}${/\w$/.test(name) ? "\\b" : ""}`,
);
const token = new RegExp(`(${texts.source})|${names.join("|")}`, "g");
const importsUs = /\bfrom\s+["'](?:kubewright|@kubewright\/)/;

/** Replaces names from earlier versions with current ones. Does not change files that import nothing from Kubewright. */
export function renamed(text: string): string {
  if (!importsUs.test(text)) return text;
  return moved(text.replace(token, (found, other: string | undefined) => other ?? renames[found] ?? found));
}

/** Returns the text with each name imported from its present entry point. */
function moved(text: string): string {
  const imports = /^((?:im|ex)port (?:type )?)\{([^}]*)\} from (["'])(@kubewright\/[^"']+)\3/gm;
  return text.replace(imports, (whole, head: string, list: string, quote: string, from: string) => {
    const move = moves.find((one) => one.from === from);
    const names = list.split(",").flatMap((name) => name.trim() || []);
    const hasMoved = (name: string): boolean => move?.names.has(name.replace(/^type\s+|\s+as\s.*$/g, "")) ?? false;
    if (!move || !names.some(hasMoved)) return whole;
    return [
      { names: names.filter((name) => !hasMoved(name)), from },
      { names: names.filter(hasMoved), from: move.to },
    ]
      .filter((part) => part.names.length > 0)
      .map((part) => `${head}{ ${part.names.join(", ")} } from ${quote}${part.from}${quote}`)
      .join(";\n");
  });
}

/** Returns a project's sources in which names from earlier versions were replaced. */
export function renamedFiles(root: string): readonly TextFile[] {
  const skipped = ["node_modules", "dist", ".kubewright", ".git"];
  return globSync("**/*.{ts,tsx,mts}", {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => skipped.includes(name),
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll("\\", "/"))
    .sort()
    .flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const next = renamed(text);
      return next === text ? [] : [{ path, text: next }];
    });
}
