/** A section of the navigation. */
export interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Titles of the sections with their pages: in reading order or, after a folder's name, all others in it, sorted by name. */
const sections = [
  [
    "Start",
    [
      "start/get-started",
      "start/installing",
      "start/concepts",
      "start/coming-from",
      "start/from-controller-runtime",
      "start/from-kopf",
      "start/client-node-scripts",
      "start/faq",
      "start/should-i",
      "start/where-it-runs",
      "start/limits",
    ],
  ],
  ["Tutorial", ["tutorial/cronjob", "tutorial/second-version", "tutorial/external-device", "tutorial/break-it"]],
  ["Examples", ["examples/"]],
  ["Model", ["guide/kinds", "guide/validation", "guide/versions", "guide/webhooks"]],
  [
    "Reconcile",
    [
      "guide/controllers",
      "guide/watching",
      "guide/caches",
      "guide/indexes",
      "guide/queues",
      "guide/concurrency",
      "guide/scaling",
      "guide/own-writes",
      "guide/apply-or-update",
      "guide/status-and-conditions",
      "guide/finalizers",
      "guide/events",
      "guide/multi-cluster",
      "guide/without-a-manager",
    ],
  ],
  [
    "Test",
    [
      "guide/testing",
      "plane/",
      "guide/control-plane",
      "guide/envtest",
      "guide/go-tests",
      "guide/simulation",
      "guide/simulate-programs",
      "guide/plan",
      "guide/debugging",
      "guide/replay",
    ],
  ],
  [
    "Operate",
    [
      "guide/troubleshooting",
      "guide/health",
      "guide/leader-election",
      "guide/logging",
      "guide/metrics",
      "guide/own-metrics",
      "guide/alerts",
      "guide/traces",
      "guide/console",
    ],
  ],
  [
    "Ship",
    [
      "guide/building",
      "guide/scaffold-and-kubebuilder",
      "guide/deploying",
      "guide/rbac",
      "guide/security",
      "guide/platform",
      "guide/certificates",
      "guide/kubernetes-versions",
      "guide/stability",
      "guide/renames",
    ],
  ],
  [
    "SD-EWAN operator",
    [
      "sdewan/index",
      "sdewan/concepts",
      "sdewan/installing",
      "sdewan/users-and-buckets",
      "sdewan/day-two",
      "sdewan/order",
      "sdewan/order-on-a-cnf",
      "sdewan/no-effect",
      "sdewan/confirm",
      "sdewan/trace",
      "sdewan/plan",
      "sdewan/stages",
      "sdewan/alerts",
      "sdewan/",
    ],
  ],
  ["SD-EWAN kinds", ["sdewan/kinds", "sdewan/kinds/"]],
  ["Reference", ["reference/api", "reference/commands", "reference/metrics", "reference/errors"]],
  ["API", ["reference/api/"]],
  ["Contributing", ["contributing/"]],
  ["Decisions", ["adr/index", "adr/differences", "adr/"]],
] as const;

/**
 * Returns the sections of the navigation with their pages.
 *
 * @param pages all pages, keyed by path from the root
 * @throws {Error} if a page is in no section
 */
export function sidebarOf(pages: ReadonlyMap<string, string>): readonly Section[] {
  const placed = Map.groupBy(pages.keys(), placeOf);
  const lost = placed.get(undefined) ?? [];
  if (lost.length > 0) throw new Error(`${lost.join(", ")}: not in any section; add to tools/docs/src/site/sidebar.ts`);
  return sections.map(([text, places]) => ({
    text,
    items: places.flatMap((place) =>
      (placed.get(place) ?? [])
        .sort()
        .map((path) => ({ text: titleOf(path, pages.get(path) ?? ""), link: linkOf(path) })),
    ),
  }));
}

const places: readonly string[] = sections.flatMap(([, places]) => places);

/** Returns the longest matching place of a page: its name or a folder. The home page is in no section. */
function placeOf(path: string): string | undefined {
  const name = path.replace(/^docs\/|\.md$/g, "");
  const isPlace = (place: string): boolean => place === name || (place.endsWith("/") && name.startsWith(place));
  return name === "index" ? "" : places.filter(isPlace).sort((a, b) => b.length - a.length)[0];
}

/** Sections shown next to the pages of a part of the site, keyed by the prefixes of the pages' addresses. */
const parts: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ["/guide/", "/plane/"],
    ["Model", "Reconcile", "Test", "Operate", "Ship"],
  ],
  [["/reference/"], ["Reference", "API"]],
  [["/sdewan/"], ["SD-EWAN operator", "SD-EWAN kinds"]],
  [
    ["/contributing/", "/adr/"],
    ["Contributing", "Decisions"],
  ],
  [["/"], ["Start", "Tutorial", "Examples"]],
];

/** Returns the sidebars for VitePress. */
export function sidebarsOf(pages: ReadonlyMap<string, string>): Readonly<Record<string, readonly Section[]>> {
  const all = sidebarOf(pages).filter(({ items }) => items.length > 0);
  return Object.fromEntries(
    parts.flatMap(([prefixes, names]) =>
      prefixes.map((prefix) => [prefix, all.filter(({ text }) => names.includes(text))] as const),
    ),
  );
}

/** Returns the address of a page on the site. */
export const linkOf = (path: string): string =>
  `/${path.replace(/^docs\//, "").replace(/(?:(^|\/)index)?\.md$/, "$1")}`;

function titleOf(path: string, text: string): string {
  const [, title] = /^# +(.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path}:1: no title; begin the page with "# …"`);
  return title.replace(/[`\\]/g, "").replace(/^@kubewright\//, "");
}
