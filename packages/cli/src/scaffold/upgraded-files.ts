import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { readText, type TextFile } from "../project/files.ts";
import type { Texts } from "./base.ts";
import { hasMarks, mergeFile } from "./merge-file.ts";

/** Result of upgrading one scaffold file. */
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
 * Upgrades one scaffold file.
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

/** Upgrades all files in the earlier or current scaffold, sorted by path. */
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

/**
 * Names that earlier versions exported, grouped by entry point: `old`, and its current name, entry point, or both.
 * `docs/guide/renames.md` lists them for users.
 */
const renamedExports = exportTable(`
kubewright: BuilderSettings=BuilderOptions cachedKind=byObject isNotLeading=isNotLeadingError
kubewright/webhooks: forbidden=refused SpokeVersion=HubSpoke
@kubewright/apimachinery: isAlreadyOwned=isAlreadyOwnedError JsonPatchTestFailed=JsonPatchTestError LabelSelector=ParsedLabelSelector
@kubewright/apiserver/authentication: authenticated=inAuthenticatedGroup UserInfo=RequestUser
@kubewright/apiserver/authorization: PolicyRule=RbacRule
@kubewright/apiserver/endpoints: WriteOptions=WriteRequestOptions
@kubewright/apiserver/registry: DeleteOptions=DeletionOptions
@kubewright/apiserver/server: Faults=ServerFaults Impersonation=ImpersonationFilter
@kubewright/apiserver/testing: Answer=Responder admission=reviewReply patched=patchReply WebhookServer=TestWebhookServer
@kubewright/apiserver/webhook: ClientConfig=UncheckedClientConfig UnreadableReview=UnreadableReviewError
@kubewright/builder: BuilderSettings=BuilderOptions
@kubewright/cache: cachedKind=byObject isResourceNotCached=isResourceNotCachedError
@kubewright/cache: Expectation=CacheExpectation WriteExpectations=CacheExpectations
@kubewright/cache: metadataOnly@@kubewright/apimachinery
@kubewright/cache: PushStore=UndeltaStore@@kubewright/cache/tools ExpiringStore=TTLStore@@kubewright/cache/tools
@kubewright/cache: SimpleHandler=IndexerInformerHandler@@kubewright/cache/tools SimpleInformer=IndexerInformer@@kubewright/cache/tools
@kubewright/cache: SimpleInformerOptions=IndexerInformerOptions@@kubewright/cache/tools
@kubewright/cache → @kubewright/cache/tools: ChangeEvent ClientListWatchOptions Delta DeltaFIFO DeltaFIFOOptions ExpiringStoreOptions
@kubewright/cache → @kubewright/cache/tools: FullList Indexer IndexerOptions InformerWatch KeyError KeyedSyncTracker Lazy ListPage ListPager
@kubewright/cache → @kubewright/cache/tools: ListPagerOptions ListRequest ListerWatcher MutationCache MutationCacheOptions Reflector
@kubewright/cache → @kubewright/cache/tools: ReflectorBackoffOptions ReflectorOptions ReflectorStore Replacement RetryDeadline
@kubewright/cache → @kubewright/cache/tools: RetryDeadlineOptions RetryWatchOptions SourceEvent StoreWrite SyncTracker TransactionError
@kubewright/cache → @kubewright/cache/tools: UntilCondition UntilError UntilWithSyncOptions VeryShortWatchError WatchRequest byNamespace
@kubewright/cache → @kubewright/cache/tools: clientListWatch deepFreeze deletionHandlingKeyOf informerWatch metaNamespaceKeyOf
@kubewright/cache → @kubewright/cache/tools: namespaceIndex retryWatch until untilWithSync watchListRequestFrom
@kubewright/cel: AuthorizationAnswer=AuthorizationResult CostLimitExceeded=CostLimitExceededError MatchingTooCostly=MatchingTooCostlyError
@kubewright/certificates → @kubewright/certificates/testing: objectIdentifier sequence tagged
@kubewright/codec: UnreadableText=UnreadableTextError TypeMismatch=TypeMismatchError applyJsonPatch=applyRawJsonPatch PatchBody=ParsedPatch
@kubewright/codegen → @kubewright/apimachinery: DescribedResource Permission
@kubewright/codegen → @kubewright/rbac: DescribedCache DescribedCertificates DescribedController DescribedKind DescribedWebhook
@kubewright/codegen → @kubewright/rbac: ProgramDescription NeededAccess neededAccess ObservedCall observedPermissions observedText
@kubewright/codegen → @kubewright/rbac: parseObserved Rbac RbacOptions rbacOf recordedPermissions RoleObject
@kubewright/codegen/rbac → @kubewright/rbac: controllerPermissions derivedPermissions Grant grantsOf isGranted PolicyRule=RoleRule
@kubewright/codegen/rbac → @kubewright/rbac: rulesOf Places placedGrants
@kubewright/controller: ControllerSettings=CommonControllerOptions NotSyncedError=SourceNotSyncedError
@kubewright/controller: Expectation=ExpectedWrite WriteExpectations=ExpectedWrites InspectionDetail=ControllerInspectionDetail Taken=PrioritizedRequest
@kubewright/envtest: isNotSupportedByTestBed=isNotSupportedByTestBedError NotSupportedByTestBed=NotSupportedByTestBedError
@kubewright/kube-apiserver: Faults=ServerFaults
@kubewright/leader-election: isNotLeading=isNotLeadingError
@kubewright/manager → @kubewright/manager/http: parseBindAddress HttpServer HttpServerOptions Admission ObjectAccess RequestAuthenticator
@kubewright/manager → @kubewright/manager/http: ReviewedUser refuserOf RequestedAccess requestedAccess
@kubewright/manager → @kubewright/rbac: DescribedCache DescribedCertificates DescribedConsole DescribedKind DescribedWebhook
@kubewright/openwrt: CallOptions=CnfCallOptions Service=CnfService UnexpectedAnswerError=UnexpectedResponseError
@kubewright/openwrt: isUnexpectedAnswerError=isUnexpectedResponseError
@kubewright/openwrt/testing: Answer=CnfResponse CnfAnswer=CnfResponse RequestMatch=CnfRequestMatch
@kubewright/storage: deepFreeze=freezeTree Predicate=SelectionPredicate
@kubewright/webhook: WebhookSettings=WebhookConfigurationOptions SecretSettings=SecretOptions forbidden=refused SpokeVersion=HubSpoke
@kubewright/webhook: TokenRequest=TokenReviewRequest TokenResponse=TokenReviewResponse HttpAnswer=HttpResponse
@kubewright/webhook: ClientConfig=WebhookClientConfig@@kubewright/apimachinery
@kubewright/webhook → @kubewright/webhook/local: findLocalHost LocalHost LocalHostOptions LocalCertificatesOptions localCertificates
@kubewright/webhook → @kubewright/webhook/local: isStaleSession LocalConfiguration LocalSession LocalSessionClient LocalSessionOptions
@kubewright/webhook → @kubewright/webhook/local: LocalWebhook sessionEndsInMs sessionLabel ProbeLocalOptions probeLocal
`);

/**
 * Current names of methods and option properties, keyed by former name. The former names are distinctive enough to be
 * replaced without knowing the type.
 */
const renamedMembers: Readonly<Record<string, string>> = {
  ".sharing(": ".index(",
  ".watchesSource(": ".watchesRawSource(",
  "maxAnswerBytes:": "maxResponseBytes:",
  "tellsWhy:": "showsReason:",
  "uncached:": "disableFor:",
};

/** Current entry point and name of an export. */
interface Export {
  readonly from: string;
  readonly name: string;
}

/** Parses lines of the form `<entry point> [→ <entry point>]: <name>[=<name>][@<entry point>] …`. */
function exportTable(text: string): ReadonlyMap<string, Export> {
  const table = new Map<string, Export>();
  for (const line of text.trim().split("\n")) {
    const [, from = "", to = from, names = ""] = /^(\S+)(?: → (\S+))?: (.*)$/.exec(line) ?? [];
    for (const [, name = "", now = name, elsewhere = to] of names.matchAll(/(\w+)(?:=(\w+))?(?:@(\S+))?/g))
      table.set(`${from} ${name}`, { from: elsewhere, name: now });
  }
  return table;
}

const imports =
  /^((?:import|export)\s+(?:type\s+)?)\{([^}]*)\}(\s*from\s*)(["'])((?:@kubewright\/|kubewright\b)[^"']*)\4/gm;
const texts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;

/**
 * Replaces names from earlier versions with current ones. Parses the imports and replaces only names that the file
 * imports from Kubewright. Does not change comments and strings.
 */
export function renamed(text: string): string {
  imports.lastIndex = 0;
  if (!imports.test(text)) return text;
  const locals = new Map<string, string>();
  const declares = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
  const current = text.replace(
    imports,
    (whole, head: string, list: string, join: string, quote: string, from: string) => {
      const byEntry = new Map<string, string[]>();
      let hasChanged = false;
      for (const specifier of list.split(",").flatMap((each) => each.trim() || [])) {
        const [, type = "", name = "", alias] = /^(type\s+)?(\w+)(?:\s+as\s+(\w+))?$/.exec(specifier) ?? [];
        const now = renamedExports.get(`${from} ${name}`);
        hasChanged ||= now !== undefined;
        let kept = specifier;
        if (now && now.name !== name) {
          // A re-export keeps its public name. A name that the file already uses would collide.
          const local = alias ?? (head.startsWith("export") || declares(now.name) ? name : undefined);
          kept = `${type}${now.name}${local === undefined ? "" : ` as ${local}`}`;
          if (local === undefined) locals.set(name, now.name);
        }
        const entry = now?.from ?? from;
        byEntry.set(entry, [...(byEntry.get(entry) ?? []), kept]);
      }
      if (!hasChanged) return whole;
      return [...byEntry]
        .map(([entry, names]) => `${head}{ ${names.join(", ")} }${join}${quote}${entry}${quote}`)
        .join(";\n");
    },
  );
  return withoutTexts(current, locals);
}

/**
 * Returns the source with current names: replaces the former names of members, and the local names of imports unless they occur as members
 * of something else. Strings and comments stay unchanged.
 */
function withoutTexts(text: string, locals: ReadonlyMap<string, string>): string {
  const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const members = Object.keys(renamedMembers).map((name) => (/^\w/.test(name) ? `\\b${escaped(name)}` : escaped(name)));
  // Matches a name unless it is a member of something else or a key of an object. A name after `...` or in a conditional expression is
  // matched as well.
  const names = [...locals.keys()].map(
    (name) => `(?<!(?<!\\.\\.)\\.)(?<![\\w$])(?:${name}\\b(?!\\s*:)|(?<=\\?\\s*)${name}\\b)`,
  );
  const token = new RegExp(`(${texts.source})|${[...members, ...names].join("|")}`, "g");
  return text.replace(token, (found, other: string | undefined) => {
    return other ?? renamedMembers[found] ?? locals.get(found) ?? found;
  });
}

/** Replaces names from earlier versions in the project's source files. Returns the files that changed. */
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
      const text = readText(join(root, path));
      const next = renamed(text);
      return next === text ? [] : [{ path, text: next }];
    });
}
