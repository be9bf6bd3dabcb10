import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Responses } from "./run-sequence.ts";

/** Normalized answers of the real server: sequence, step, answer. */
export type Recording = Readonly<Record<string, Responses>>;

const folder = join(import.meta.dirname, "..", "recorded");

export const hasRecording = (name: string): boolean => existsSync(join(folder, `${name}.json`));

/** @throws {Error} if there is no recording of this name */
export function readRecording(name: string): Recording {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
}

/** Writes one step per line, so that a changed answer is one changed line. */
export function writeRecording(name: string, recording: Recording): void {
  mkdirSync(folder, { recursive: true });
  const sequences = Object.entries(recording).map(([sequence, answers]) => {
    const steps = Object.entries(answers).map(
      ([step, answer]) => `    ${JSON.stringify(step)}: ${JSON.stringify(answer)}`,
    );
    return `  ${JSON.stringify(sequence)}: {\n${steps.join(",\n")}\n  }`;
  });
  writeFileSync(join(folder, `${name}.json`), `{\n${sequences.join(",\n")}\n}\n`);
}
