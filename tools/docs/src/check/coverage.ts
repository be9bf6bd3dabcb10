import ts from "typescript";
import { flagsIn } from "../reference/commands.ts";
import type { Export } from "../reference/exports.ts";
import { lineOf, nodesOf, sourcesOf, textOf } from "../reference/syntax.ts";
import type { Finding } from "../site/finding.ts";

/** Finds exported names without a heading on the page of their entry. */
export function undocumentedExports(
  exported: readonly Export[],
  pages: ReadonlyMap<string, string>,
): readonly Finding[] {
  const headings = new Map<string, ReadonlySet<string>>();
  return exported.flatMap(({ name, entry, file, line }) => {
    const page = `docs/reference/api/${entry.page}.md`;
    const known = headings.get(page) ?? headingsOf(pages.get(page) ?? "");
    headings.set(page, known);
    return known.has(name)
      ? []
      : [{ file, line, message: `${name} is exported by ${entry.specifier} but missing in ${page}` }];
  });
}

const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^### (?:`?abstract`? )?(.+?)(?:\(\))?(?:\\?<.*?)?(?: \{#[^}]+\})?$/gim)].map(([, name = ""]) =>
      name.replace(/\\/g, ""),
    ),
  );

const metricName =
  /^(?:kubewright|controller_runtime|workqueue|rest_client|certwatcher|leader_election|informer|sdewan|apiserver)(?:_[a-z0-9]+)+$/;

/** Finds metrics that the sources name in a literal, but the page does not contain. */
export function undocumentedMetrics(root: string, page: string): readonly Finding[] {
  const patterns = [
    "packages/manager/src/manager-metrics.ts",
    "packages/apiserver/src/metrics/*.ts",
    "apps/sdewan-operator/src/**/*.ts",
  ];
  return literalsIn(root, patterns).flatMap(({ text, file, line }) =>
    metricName.test(text) && !page.includes(`\`${text}\``)
      ? [{ file, line, message: `metric ${text} is not documented` }]
      : [],
  );
}

/** Finds flags that a command declares or mentions in its help, but the page does not contain. */
export function undocumentedFlags(root: string, page: string): readonly Finding[] {
  const known = flagsIn(page);
  const patterns = [
    "packages/cli/src/**/*.ts",
    "packages/manager/src/manager-flags.ts",
    "apps/sdewan-operator/src/cli/*.ts",
  ];
  return sourcesOf(root, patterns).flatMap(({ file, tree }) =>
    [...nodesOf(tree)].flatMap((node) => {
      const flag = declaredFlag(node);
      return flag === undefined || known.has(flag)
        ? []
        : [{ file, line: lineOf(node), message: `flag ${flag} is not documented` }];
    }),
  );
}

/**
 * Matches the declaration of a flag: `.option("--out <dir>", …)` of commander, or `out: { type: "string" }` of Node's
 * `parseArgs`.
 */
function declaredFlag(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const [first] = node.arguments;
    const isOption = /^(?:option|requiredOption)$/.test(node.expression.name.text);
    return isOption && first ? /--[a-z][a-z-]*/.exec(textOf(first) ?? "")?.[0] : undefined;
  }
  if (!ts.isPropertyAssignment(node) || !ts.isObjectLiteralExpression(node.initializer)) return undefined;
  const [type] = node.initializer.properties;
  const isFlag = type && /^type: "(?:string|boolean)"$/.test(type.getText()) && /flags/.test(ownerOf(node));
  return isFlag ? `--${node.name.getText().replaceAll('"', "")}` : undefined;
}

function ownerOf(node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at; at = at.parent)
    if (ts.isVariableDeclaration(at)) return at.name.getText();
  return "";
}

function literalsIn(root: string, patterns: readonly string[]) {
  return sourcesOf(root, patterns).flatMap(({ file, tree }) =>
    [...nodesOf(tree)].flatMap((node) =>
      ts.isStringLiteralLike(node) ? [{ text: node.text, file, line: lineOf(node) }] : [],
    ),
  );
}
