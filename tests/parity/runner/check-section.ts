import process from "node:process";
import type { Environment } from "@kubewright/envtest";
import { compareResponses, compareSteps, describeDifference } from "./compare.ts";
import { isIgnored, readIgnoredTexts } from "./ignored-texts.ts";
import { readDifferences, unaccounted } from "./listed-differences.ts";
import type { Recording } from "./recordings.ts";
import type { Responses } from "./run-sequence.ts";

/** The folder of the real programs; empty without them, when the recorded answers are used instead. */
export const assets: string = process.env.KUBEBUILDER_ASSETS ?? "";

/** True to record the answers again. */
export const isRecording: boolean = assets !== "" && process.env.PARITY_RECORD === "1";

/** Runs named sequences on a server that is started for them. */
export async function answersOf<S extends { readonly name: string }>(
  start: () => Promise<Environment>,
  sequences: readonly S[],
  run: (environment: Environment, sequence: S) => Promise<Responses>,
): Promise<Recording> {
  await using environment = await start();
  const recording: Record<string, Responses> = {};
  for (const sequence of sequences) recording[sequence.name] = await run(environment, sequence);
  return recording;
}

/** Returns all deviations of the embedded server's answers from those of the real server that DIFFERENCES.md does not list, as texts. */
export function complaints(real: Recording, ours: Recording, prefix = ""): string[] {
  const listed = readDifferences();
  const texts = readIgnoredTexts();
  return Object.entries(ours).flatMap(([sequence, answers]) =>
    Object.entries(answers).flatMap(([step, answer]) => {
      const id = `${prefix}${sequence}/${step}`;
      const { unlisted, stale } = unaccounted(id, compareSteps(real[sequence]?.[step], answer), listed);
      return [
        ...unlisted
          .filter((difference) => !isIgnored(difference, texts))
          .map(
            (difference) => `${id} differs, but DIFFERENCES.md does not list it:\n${describeDifference(difference)}`,
          ),
        ...stale.map((path) => `${id} no longer differs in ${path}: remove it from DIFFERENCES.md`),
      ];
    }),
  );
}

/** Returns the changes of the real server's answers since the recording. */
export function drift(recorded: Recording, real: Recording): string[] {
  return compareResponses(recorded, real).map(
    (difference) => `the answer of the real server has changed since the recording:\n${describeDifference(difference)}`,
  );
}
