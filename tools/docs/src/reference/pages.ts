import { referenceText } from "@kubewright/codegen";
import { apiKinds } from "sdewan-operator";
import { type Entry, root } from "../workspace.ts";
import { kubewrightHelps, programHelps } from "./commands.ts";
import { type ErrorClass, errorClasses } from "./errors.ts";
import type { Export } from "./exports.ts";
import { apiServerMetrics, type DocumentedMetric, managerMetrics, sdewanMetrics } from "./metrics.ts";
import { readersLines, usageLines } from "./usage-lines.ts";

/**
 * Generates the reference pages from the code, except the pages about the API. The keys are paths relative to the
 * root.
 */
export async function referencePages(
  entries: readonly Entry[],
  exported: readonly Export[],
): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/reference/api.md", apiPage(entries, exported)],
    ["docs/reference/commands.md", await commandsPage()],
    ["docs/reference/metrics.md", await metricsPage()],
    ["docs/reference/errors.md", await errorsPage(exported)],
    ["docs/sdewan/kinds.md", kindsPage()],
    ...kindPages(),
  ]);
}

function apiPage(entries: readonly Entry[], exported: readonly Export[]): string {
  const rows = entries.map(({ specifier, page }) => {
    const count = exported.filter(({ entry }) => entry.specifier === specifier).length;
    return `| [\`${specifier}\`](api/${page}.md) | ${count} |\n`;
  });
  return `# Packages\n\nPublic entries of each package and the number of names that they export. Most programs need only [\`kubewright\`](api/kubewright.md) and its kinds.\n\n| Import from | Names |\n| --- | ---: |\n${rows.join("")}`;
}

async function commandsPage(): Promise<string> {
  const helps = (await Promise.all([kubewrightHelps(), programHelps()])).flat();
  const parts = helps.map(({ command, text }) => `## ${command}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  return `# Commands and flags\n\nThe \`--help\` text of each command. Exit codes: 0 success; 1 a check failed (outdated files, differences, conflicts); 2 invalid arguments; 3 the cluster refused the request or could not be reached.\n\n${parts.join("\n")}`;
}

async function metricsPage(): Promise<string> {
  const parts = [
    ["Every program", "Each [manager](api/manager.md) serves these metrics at `/metrics`.", await managerMetrics()],
    ["SD-EWAN operator", "Only the leader serves these metrics.", sdewanMetrics()],
    [
      "API server",
      "`kubewright controlplane` serves these metrics and those of the process.",
      await apiServerMetrics(),
    ],
  ] as const;
  return `# Metrics\n\n${parts.map(([title, description, metrics]) => `## ${title}\n\n${description}\n\n${metricTable(metrics)}`).join("\n")}`;
}

const metricTable = (metrics: readonly DocumentedMetric[]): string =>
  `| Metric | Description |\n| --- | --- |\n${metrics.map(({ name, help }) => `| \`${name}\` | ${cell(help)} |\n`).join("")}`;

async function errorsPage(exported: readonly Export[]): Promise<string> {
  const classes = errorClasses(exported)
    .map(
      ({ name, specifier, description }: ErrorClass) => `| \`${name}\` | \`${specifier}\` | ${cell(description)} |\n`,
    )
    .join("");
  const lines = [...(await readersLines()), ...usageLines(root)].map(
    ({ command, text }) => `| ${cell(command)} | ${text.startsWith("(") ? cell(text) : codeCell(text)} |\n`,
  );
  return `# Errors\n\n## Classes\n\nErrors that the packages throw. For the causes of messages, see [Troubleshooting](../guide/troubleshooting.md).\n\n| Class | Package | Description |\n| --- | --- | --- |\n${classes}\n## Messages with exit code 2\n\nThe arguments of a command are invalid, and the command did nothing. \`…\` stands for a part of the arguments.\n\n| Command | Message |\n| --- | --- |\n${lines.join("")}`;
}

const kinds = () => apiKinds.map((kind) => ({ name: kind.kind, slug: kind.kind.toLowerCase(), crd: kind.crd }));

function kindsPage(): string {
  const rows = kinds().map(({ name, slug }) => `- [${name}](kinds/${slug}.md)\n`);
  return `# Kinds\n\nAll fields of each kind, generated from its definition.\n\n${rows.join("")}`;
}

const kindPages = (): readonly (readonly [string, string])[] =>
  kinds().map(({ slug, crd }) => [`docs/sdewan/kinds/${slug}.md`, referenceText(crd)]);

const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll("{{", "&#123;&#123;")
    .replace(/\{@link (\S+?)\}/g, "`$1`")
    .replaceAll(/<(?=[a-z/])/gi, "&lt;")
    .replaceAll("\n", " ");

const codeCell = (text: string): string =>
  `\`${text.replaceAll("`", "'").replaceAll("|", "\\|").replaceAll("\n", " ")}\``;
