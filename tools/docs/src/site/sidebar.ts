/** A section of the navigation. */
export interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Titles of the sections with the path prefixes of their pages, or with the pages in reading order. */
const sections = [
  ["Start", ["docs/start/"]],
  ["Tutorial", ["docs/tutorial/"]],
  ["Guide", ["docs/guide/"]],
  ["Test plane", ["docs/plane/"]],
  ["Examples", ["docs/examples/"]],
  ["SD-EWAN operator", ["docs/sdewan/"]],
  [
    "Reference",
    ["docs/reference/api.md", "docs/reference/commands.md", "docs/reference/metrics.md", "docs/reference/errors.md"],
  ],
  ["Why", ["docs/adr/"]],
  ["API", ["docs/reference/api/"]],
  ["SD-EWAN kinds", ["docs/sdewan/kinds/"]],
] as const;

/** Pages of the guide that are only about the operator. */
const ofOperator = /^docs\/guide\/(?:05|1[0-2])-/;

/** Pages in reading order; all others follow, sorted by name. */
const order = [
  "docs/start/installing.md",
  "docs/start/ten-minutes.md",
  "docs/start/concepts.md",
  "docs/start/coming-from.md",
  "docs/start/limits.md",
  "docs/guide/01-a-controller.md",
  "docs/guide/kinds.md",
  "docs/guide/caches.md",
  "docs/guide/indexes.md",
  "docs/guide/queues.md",
  "docs/guide/own-writes.md",
  "docs/guide/apply-or-update.md",
  "docs/guide/status-and-conditions.md",
  "docs/guide/finalizers.md",
  "docs/guide/events.md",
  "docs/guide/logging.md",
  "docs/guide/rbac.md",
  "docs/guide/02-tests.md",
  "docs/guide/without-a-manager.md",
  "docs/guide/03-a-control-plane-of-your-own.md",
  "docs/guide/04-envtest-everywhere.md",
  "docs/guide/17-go-tests.md",
  "docs/guide/07-webhooks.md",
  "docs/guide/08-versions.md",
  "docs/guide/09-certificates.md",
  "docs/guide/14-developing-and-mending.md",
  "docs/guide/troubleshooting.md",
  "docs/guide/renames.md",
  "docs/guide/stability.md",
  "docs/guide/kubernetes-versions.md",
  "docs/guide/console.md",
  "docs/guide/metrics.md",
  "docs/guide/alerts.md",
  "docs/guide/own-metrics.md",
  "docs/guide/16-traces.md",
  "docs/guide/deploying.md",
  "docs/guide/13-image-and-deployment.md",
  "docs/sdewan/index.md",
  "docs/sdewan/concepts.md",
  "docs/guide/11-installing-the-sdewan-operator.md",
  "docs/guide/10-users-and-buckets.md",
  "docs/sdewan/day-two.md",
  "docs/guide/12-sdewan-alerts.md",
  "docs/sdewan/kinds.md",
  "docs/guide/05-a-new-rule-kind.md",
  "docs/adr/index.md",
  "docs/adr/differences.md",
];

/** Returns the sections of the navigation with their pages. @param pages all pages, by path from the root */
export function sidebarOf(pages: ReadonlyMap<string, string>): readonly Section[] {
  const left = new Set([...pages.keys()].filter((path) => path !== "docs/index.md").sort(byOrder));
  const placed = new Map<string, string[]>();
  // Longest prefixes first, so that pages in the folder of a section belong to that section.
  const rules = sections.flatMap(([text, prefixes]) => prefixes.map((prefix) => ({ text, prefix: prefix as string })));
  for (const { text, prefix } of rules.sort((a, b) => b.prefix.length - a.prefix.length))
    for (const path of left)
      if (path.startsWith(prefix)) {
        const section = prefix === "docs/guide/" && ofOperator.test(path) ? "SD-EWAN operator" : text;
        placed.set(section, [...(placed.get(section) ?? []), path]);
        left.delete(path);
      }
  if (left.size > 0)
    throw new Error(`${[...left].join(", ")}: not in any section; add to tools/docs/src/site/sidebar.ts`);
  return sections.map(([text]) => ({
    text,
    items: (placed.get(text) ?? [])
      .sort(byOrder)
      .map((path) => ({ text: titleOf(path, pages.get(path) ?? ""), link: linkOf(path) })),
  }));
}

const ofSdewan = ["SD-EWAN operator", "SD-EWAN kinds"];

/** Sections shown next to the pages of a part of the site, by prefix of their addresses. */
const parts: readonly (readonly [string, readonly string[]])[] = [
  ["/reference/", ["Reference", "API"]],
  ["/sdewan/", ofSdewan],
  ["/adr/", ["Why"]],
];

/**
 * Returns the sidebars for VitePress. Pages precede the folder that contains them, because VitePress uses the first match among addresses
 * of equal depth.
 */
export function sidebarsOf(pages: ReadonlyMap<string, string>): Readonly<Record<string, readonly Section[]>> {
  const all = sidebarOf(pages).filter(({ items }) => items.length > 0);
  const named = (names: readonly string[]): readonly Section[] => all.filter(({ text }) => names.includes(text));
  const operator = named(ofSdewan);
  const guides = operator.flatMap(({ items }) => items.filter(({ link }) => link.startsWith("/guide/")));
  const apart = new Set(parts.flatMap(([, names]) => names));
  return Object.fromEntries([
    ...guides.map(({ link }) => [link, operator] as const),
    ...parts.map(([prefix, names]) => [prefix, named(names)] as const),
    ["/", all.filter(({ text }) => !apart.has(text))],
  ]);
}

function byOrder(a: string, b: string): number {
  const rank = (path: string): number => (order.includes(path) ? order.indexOf(path) : order.length);
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}

/** Returns the address of a page on the site. */
export const linkOf = (path: string): string =>
  `/${path.replace(/^docs\//, "").replace(/(?:(^|\/)index)?\.md$/, "$1")}`;

function titleOf(path: string, text: string): string {
  const [, title] = /^# +(.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path}:1: no title; begin the page with "# …"`);
  return title
    .replace(/[`\\]/g, "")
    .replace(/^\d+\. /, "")
    .replace(/^@kubewright\//, "");
}
