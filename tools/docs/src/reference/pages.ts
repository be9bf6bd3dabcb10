import { referenceText } from "@kubewright/codegen";
import { apiKinds } from "sdewan-operator";
import { type Entry, root } from "../workspace.ts";
import { kubewrightHelps, programHelps } from "./commands.ts";
import { type ErrorClass, errorClasses } from "./errors.ts";
import type { Export } from "./exports.ts";
import { apiServerMetrics, type DocumentedMetric, managerMetrics, sdewanMetrics } from "./metrics.ts";
import { readersLines, usageLines } from "./usage-lines.ts";

/** Pages that are printed from the code, by path from the root, but for those of the API. */
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
  return `# Packages\n\nWhat each can be imported by, and how many names that has. Most programs need [\`kubewright\`](api/kubewright.md) and its kinds alone.\n\n| import from | names |\n| --- | ---: |\n${rows.join("")}`;
}

async function commandsPage(): Promise<string> {
  const helps = (await Promise.all([kubewrightHelps(), programHelps()])).flat();
  const parts = helps.map(({ command, text }) => `## ${command}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  return `# Commands and flags\n\nWhat each says to \`--help\`. Codes to end with: 0 done; 1 not so (stale, different, in conflict); 2 the words are wrong; 3 the cluster refused, or was not reached.\n\n${parts.join("\n")}`;
}

async function metricsPage(): Promise<string> {
  const parts = [
    ["Of every program", "Each [manager](api/manager.md) serves them at `/metrics`.", await managerMetrics()],
    ["Of the SD-EWAN operator", "Only the replica that leads has them.", sdewanMetrics()],
    ["Of the API server", "`kubewright controlplane` serves them, and those of the process.", await apiServerMetrics()],
  ] as const;
  return `# Metrics\n\n${parts.map(([title, says, metrics]) => `## ${title}\n\n${says}\n\n${metricTable(metrics)}`).join("\n")}`;
}

const metricTable = (metrics: readonly DocumentedMetric[]): string =>
  `| metric | what it is |\n| --- | --- |\n${metrics.map(({ name, help }) => `| \`${name}\` | ${cell(help)} |\n`).join("")}`;

async function errorsPage(exported: readonly Export[]): Promise<string> {
  const classes = errorClasses(exported)
    .map(({ name, specifier, says }: ErrorClass) => `| \`${name}\` | \`${specifier}\` | ${cell(says)} |\n`)
    .join("");
  const lines = [...(await readersLines()), ...usageLines(root)].map(
    ({ command, text }) => `| ${cell(command)} | ${text.startsWith("(") ? cell(text) : codeCell(text)} |\n`,
  );
  return `# Errors\n\n## Classes\n\nThose that a program can be handed. What to do about messages is in [troubleshooting](../guide/troubleshooting.md).\n\n| class | from | when |\n| --- | --- | --- |\n${classes}\n## Lines that end with code 2\n\nThe words of a command are wrong; nothing was done. \`…\` stands for what was given.\n\n| command | line |\n| --- | --- |\n${lines.join("")}`;
}

const kinds = () => apiKinds.map((kind) => ({ name: kind.kind, slug: kind.kind.toLowerCase(), crd: kind.crd }));

function kindsPage(): string {
  const rows = kinds().map(({ name, slug }) => `- [${name}](kinds/${slug}.md)\n`);
  return `# Kinds\n\nEach field of each, printed from their definitions.\n\n${rows.join("")}`;
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
