import { type Edit, editsOf, parses } from "./edits.ts";
import { randomFrom, shuffled } from "./random.ts";

/** A source file; its path is relative to the workspace's root, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Mutant {
  readonly path: string;
  readonly line: number;
  /** Offset of the change in the original text. */
  readonly start: number;
  readonly operator: string;
  /** Affected lines before and after the change, with runs of whitespace collapsed. */
  readonly before: string;
  readonly after: string;
  /** Text of the whole mutated file. */
  readonly text: string;
}

/** Returns all mutants of `source`, grouped by place. */
export function sitesOf({ path, text }: Source): readonly (readonly Mutant[])[] {
  const places = Map.groupBy(editsOf(path, text), (edit) => `${edit.operator} ${edit.start}`);
  return [...places.values()].map((edits) => edits.map((edit) => mutantOf({ path, text }, edit)));
}

/**
 * Chooses `count` mutants. Every file contributes one mutant before any file contributes a second one, so that large files do not
 * dominate. The same seed and sources always give the same mutants; the choice within a file does not depend on other files.
 */
export function chooseMutants(sources: readonly Source[], seed: string, count: number): readonly Mutant[] {
  const byFile = sources
    .map((source) => ({ source, random: randomFrom(seed, source.path) }))
    .map(({ source, random }) => ({ place: random(), mutants: choosable(source, random) }))
    .sort((a, b) => a.place - b.place);
  const chosen: Mutant[] = [];
  let open = byFile.map(({ mutants }) => mutants);
  while (open.length > 0 && chosen.length < count) {
    open = open.filter((mutants) => {
      if (chosen.length >= count) return false;
      const next = mutants.next();
      if (!next.done) chosen.push(next.value);
      return !next.done;
    });
  }
  return chosen;
}

function* choosable(source: Source, random: () => number): Generator<Mutant> {
  for (const site of shuffled(sitesOf(source), random)) {
    const [mutant] = shuffled(site, random);
    if (mutant && parses(mutant.text)) yield mutant;
  }
}

function mutantOf({ path, text }: Source, { operator, start, end, replacement }: Edit): Mutant {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  return {
    path,
    line: text.slice(0, start).split("\n").length,
    start,
    operator,
    before: oneLine(text.slice(from, to)),
    after: oneLine(text.slice(from, start) + replacement + text.slice(end, to)) || "(nothing)",
    text: text.slice(0, start) + replacement + text.slice(end),
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
