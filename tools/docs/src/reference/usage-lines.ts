import { main } from "@kubewright/cli";
import ts from "typescript";
import { lineOf, nodesOf, type Source, sourcesOf, textOf } from "./syntax.ts";

/** A line that a command prints before it exits with code 2. */
export interface UsageLine {
  readonly command: string;
  readonly text: string;
}

interface Family {
  readonly command: string;
  readonly files: readonly string[];
  /** Names of the errors that make the command exit with code 2. */
  readonly errors: RegExp;
}

/**
 * Sources that contain such lines. Our replacement for kube-apiserver exits with 1, like the original; our replacement
 * for etcd exits with 2.
 */
const families: readonly Family[] = [
  {
    command: "kubewright",
    files: ["packages/cli/src/**/*.ts"],
    errors: /^UsageError$/,
  },
  {
    command: "etcd of `envtest-assets`",
    files: ["packages/cli/src/flags/parse-go-flags.ts", "packages/cli/src/etcd/*.ts"],
    errors: /^FlagError$/,
  },
  { command: "a program that `run` starts", files: ["packages/manager/src/**/*.ts"], errors: /^FlagError$/ },
  {
    command: "sdewan-operator",
    files: ["apps/sdewan-operator/{src,demo}/**/*.ts", "packages/client/src/settings/*.ts"],
    errors: /^(?:UserError|InvalidArgumentError|KubeConfigError)$/,
  },
];

/** Returns the messages of usage errors in the sources of the commands, without duplicates. */
export function usageLines(root: string): readonly UsageLine[] {
  return families.flatMap(({ command, files, errors }) => {
    const lines = sourcesOf(root, files).flatMap((source) => linesIn(source, errors));
    return [...new Set(lines)].map((text) => ({ command, text }));
  });
}

/** Invalid command lines for which commander, rather than our sources, supplies the messages. */
const mistakes = [["--nope"], ["nope"], ["docs", "--port"], ["docs", "nope"], ["init"], ["create", "nope"]] as const;

/** Returns the messages for the invalid command lines. @throws {Error} if one of them does not exit with code 2 */
export async function readersLines(): Promise<readonly UsageLine[]> {
  const lines: UsageLine[] = [];
  for (const words of mistakes) {
    let message = "";
    const code = await main([...words], {
      out: () => {},
      err: (text) => {
        message += text;
      },
      env: {},
    });
    if (code !== 2) throw new Error(`kubewright ${words.join(" ")} ended with ${code}, not 2: ${message}`);
    const [line = ""] = message.split("\n", 1);
    lines.push({
      command: "kubewright",
      text: line.replaceAll(/--nope|nope/g, (word) => (word === "nope" ? "…" : "--…")),
    });
  }
  return lines;
}

function linesIn(source: Source, errors: RegExp): readonly string[] {
  const lines: string[] = [];
  const makers = makersOf(source, errors);
  for (const node of nodesOf(source.tree)) {
    if (ts.isNewExpression(node) && errors.test(node.expression.getText())) {
      if (!isMaker(node))
        lines.push(...linesOf(source, node.arguments?.[0], node).map((line) => asPrinted(node, line)));
    } else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const made = makers.get(node.expression.text);
      if (made === undefined) continue;
      for (const problem of linesOf(source, node.arguments[0], node))
        lines.push(made.replace(/…$/, () => (problem.startsWith("(") ? "…" : problem)));
    }
  }
  return lines;
}

/** Adds the prefix that commander prints before the message about an option's value. */
const asPrinted = (node: ts.NewExpression, line: string): string =>
  node.expression.getText() === "InvalidArgumentError" ? `error: option … argument … is invalid. ${line}` : line;

/** Returns the messages of an error: one line for each value of a field in the same file, such as `says`, that it contains. */
function linesOf(source: Source, message: ts.Expression | undefined, at: ts.Node): readonly string[] {
  if (!message) return [];
  const texts = ts.isConditionalExpression(message) ? [message.whenTrue, message.whenFalse] : [message];
  return texts.flatMap((each) => {
    const field = fieldIn(source, each);
    if (field)
      return field.values.map((value) => textOf(each, (name) => (name === field.name ? value : undefined)) ?? value);
    return [textOf(each) ?? `(see \`${source.file}\`, line ${lineOf(at)})`];
  });
}

function fieldIn(
  { tree }: Source,
  message: ts.Expression,
): { readonly name: string; readonly values: readonly string[] } | undefined {
  if (!ts.isTemplateExpression(message)) return undefined;
  for (const { expression } of message.templateSpans) {
    const name = (ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText();
    const values = [...nodesOf(tree)].flatMap((node) =>
      ts.isPropertyAssignment(node) && node.name.getText() === name && ts.isStringLiteralLike(node.initializer)
        ? [node.initializer.text]
        : [],
    );
    if (values.length > 0) return { name, values };
  }
  return undefined;
}

/** Reports whether a function `(problem) => new UsageError(…)` creates the error. Its calls then contain the messages. */
const isMaker = (node: ts.NewExpression): boolean =>
  ts.isArrowFunction(node.parent) && node.parent.body === node && node.parent.parameters.length === 1;

/**
 * Returns the message of each function that creates such errors, keyed by function name, with `…` in place of the
 * problem.
 */
function makersOf({ tree }: Source, errors: RegExp): ReadonlyMap<string, string> {
  const makers = new Map<string, string>();
  for (const node of nodesOf(tree)) {
    const isFirst = (ts.isVariableDeclaration(node) || ts.isParameter(node)) && !makers.has(node.name.getText());
    const made = isFirst ? madeBy(node, errors) : undefined;
    if (isFirst && made !== undefined) makers.set(node.name.getText(), made);
  }
  return makers;
}

function madeBy(node: ts.VariableDeclaration | ts.ParameterDeclaration, errors: RegExp): string | undefined {
  if (ts.isParameter(node))
    return node.type && ts.isFunctionTypeNode(node.type) && errors.test(node.type.type.getText()) ? "…: …" : undefined;
  const arrow = node.initializer;
  if (!arrow || !ts.isArrowFunction(arrow) || !ts.isNewExpression(arrow.body)) return undefined;
  const [message] = arrow.body.arguments ?? [];
  return errors.test(arrow.body.expression.getText()) && isMaker(arrow.body) && message ? textOf(message) : undefined;
}
