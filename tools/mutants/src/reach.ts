import ts from "typescript";

/** A part of a source that runs as a whole: a file, a statement, the value of an arrow function. */
interface Region {
  readonly start: number;
  readonly end: number;
}
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * The regions that a test ran, keyed by file. The value contains one digit for every region, which is `1` if the region
 * was run.
 */
export type Reached = Readonly<Record<string, string>>;

/** Returns the source instrumented to record which regions run, in `globalThis.reachedRegions[path]`. */
export function recording(path: string, text: string): string {
  const { regions, insertions } = regionsOf(path, text);
  const first = insertions[0];
  if (!first) return text;
  const own = `var __reached = ((globalThis.reachedRegions ??= {})[${JSON.stringify(path)}] ??= new Uint8Array(${regions.length}));`;
  let result = "";
  let from = 0;
  for (const { at, text: inserted } of [{ at: first.at, text: own }, ...insertions]) {
    result += text.slice(from, at) + inserted;
    from = at;
  }
  return result + text.slice(from);
}

/** Reports whether the code at `offset` of the file was run. */
export function reaches(reached: Reached, path: string, text: string, offset: number): boolean {
  const digits = reached[path];
  if (digits === undefined) return false;
  let innermost = 0;
  for (const [index, { start, end }] of regionsOf(path, text).regions.entries())
    if (start <= offset && offset < end) innermost = index; // inner regions follow outer regions
  return digits[innermost] === "1";
}

function regionsOf(path: string, text: string): { readonly regions: Region[]; readonly insertions: Insertion[] } {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const regions: Region[] = [{ start: 0, end: text.length + 1 }];
  const insertions: Insertion[] = [];
  const [first] = source.statements;
  if (!first) return { regions, insertions };
  const mark = (node: ts.Node, around: (noted: string) => readonly [string, string]): void => {
    const region = { start: node.getStart(source), end: node.getEnd() };
    const [before, after] = around(`__reached[${regions.length}] = 1`);
    regions.push(region);
    insertions.push({ at: region.start, text: before });
    descend(node);
    if (after) insertions.push({ at: region.end, text: after });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (isStatementOfList(node)) mark(node, (noted) => [`${noted}; `, ""]);
    else if (isBareBranch(node)) mark(node, (noted) => [`{ ${noted}; `, " }"]);
    else if (isArrowValue(node)) mark(node, (noted) => [`(${noted}, `, ")"]);
    else descend(node);
  };
  const descend = (node: ts.Node): void => ts.forEachChild(node, visit);
  insertions.push({ at: first.getStart(source), text: "__reached[0] = 1; " });
  ts.forEachChild(source, visit);
  return { regions, insertions };
}

function isStatementOfList(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isBlock(parent) && !ts.isCaseOrDefaultClause(parent)) return false;
  return parent.statements.some((statement) => statement === node);
}

/** Reports whether a statement follows `if`, `else` or a loop header without braces. */
function isBareBranch(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBlock(node)) return false;
  if (ts.isIfStatement(parent)) return node === parent.thenStatement || node === parent.elseStatement;
  return ts.isIterationStatement(parent, false) && node === parent.statement;
}

function isArrowValue(node: ts.Node): boolean {
  return ts.isArrowFunction(node.parent) && node === node.parent.body && !ts.isBlock(node);
}
