import { Environment } from "@kubewright/envtest";
import { Manager } from "@kubewright/manager";
import { Connection } from "kubewright";
import ts from "typescript";
import { root } from "../workspace.ts";
import { nodesOf, type Source, sourcesOf, textOf } from "./syntax.ts";

/** A metric that a program serves. */
export interface DocumentedMetric {
  readonly name: string;
  readonly help: string;
}

/** Returns the metrics that every manager serves, read from a manager that is never started. */
export async function managerMetrics(): Promise<readonly DocumentedMetric[]> {
  const { metrics } = new Manager({ metrics: { bindAddress: "0" }, health: { bindAddress: "0" } });
  const registry = await metrics.registry();
  const served = await registry.getMetricsAsJSON();
  const declared = declaredMetrics(["packages/manager/src/**/*.ts"]);
  const known = new Map([...declared, ...served].map(({ name, help }) => [name, { name, help }]));
  return [...known.values()].sort(byName);
}

/** Returns the metrics that the sources declare: objects with `name` and `help`, and calls with both as first arguments. */
function declaredMetrics(patterns: readonly string[]): readonly DocumentedMetric[] {
  const found = sourcesOf(root, patterns).flatMap((source) =>
    [...nodesOf(source.tree)].flatMap((node) => metricAt(source, node)),
  );
  return [...new Map(found.map((metric) => [metric.name, metric])).values()].sort(byName);
}

export const sdewanMetrics = (): readonly DocumentedMetric[] => declaredMetrics(["apps/sdewan-operator/src/**/*.ts"]);

/** Starts an embedded API server and returns the metrics that it serves, except the metrics of the process. */
export async function apiServerMetrics(): Promise<readonly DocumentedMetric[]> {
  await using env = await Environment.start({ assets: "" });
  await using connection = new Connection(env.connection());
  const { body } = await connection.request({ path: "/metrics" });
  const found = [...body.toString().matchAll(/^# HELP (apiserver_\S+) (.*)$/gm)];
  return found.map(([, name = "", help = ""]) => ({ name, help })).sort(byName);
}

const byName = (a: DocumentedMetric, b: DocumentedMetric): number => (a.name < b.name ? -1 : Number(a.name > b.name));

function metricAt(source: Source, node: ts.Node): readonly DocumentedMetric[] {
  if (ts.isObjectLiteralExpression(node)) {
    const [name, help] = [propertyOf(node, "name"), propertyOf(node, "help")];
    return name && help ? named(textOf(name, constantsOf(source)), textOf(help)) : [];
  }
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
  const [first, second] = node.arguments ?? [];
  if (!first || !second || !ts.isStringLiteralLike(first) || !ts.isStringLiteralLike(second)) return [];
  const prefix = ts.isIdentifier(node.expression) ? prefixOf(source, node.expression.text) : undefined;
  return prefix === undefined ? [] : named(prefix + first.text, second.text);
}

/** Returns the prefix that a function or class in the same file puts before the names of its metrics, or undefined if it has none. */
function prefixOf({ tree }: Source, callee: string): string | undefined {
  for (const node of nodesOf(tree)) {
    const isDeclared =
      (ts.isVariableDeclaration(node) || ts.isClassDeclaration(node)) && node.name?.getText(tree) === callee;
    if (!isDeclared) continue;
    for (const inner of nodesOf(node)) {
      if (!ts.isObjectLiteralExpression(inner) || !hasName(inner, "help")) continue;
      const name = propertyOf(inner, "name");
      const text = name && textOf(name);
      if (text?.endsWith("_…")) return text.slice(0, -1);
      if (hasName(inner, "name")) return "";
    }
  }
  return undefined;
}

const named = (name: string | undefined, help: string | undefined): readonly DocumentedMetric[] =>
  name !== undefined && help !== undefined && /^[a-z]+(_[a-z0-9]+)+$/.test(name) ? [{ name, help }] : [];

const hasName = (node: ts.ObjectLiteralExpression, key: string): boolean =>
  node.properties.some((property) => property.name?.getText() === key);

function propertyOf(node: ts.ObjectLiteralExpression, key: string): ts.Expression | undefined {
  for (const property of node.properties)
    if (ts.isPropertyAssignment(property) && property.name.getText() === key) return property.initializer;
  return undefined;
}

const constantsOf =
  ({ tree }: Source) =>
  (name: string): string | undefined => {
    for (const statement of tree.statements)
      if (ts.isVariableStatement(statement))
        for (const { name: at, initializer } of statement.declarationList.declarations)
          if (at.getText() === name && initializer && ts.isStringLiteralLike(initializer)) return initializer.text;
    return undefined;
  };
