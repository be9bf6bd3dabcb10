import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { Client } from "@kubewright/client";
import { Environment } from "@kubewright/envtest";
import { parseAllDocuments } from "yaml";
import type { Definition } from "../src/source/definition.ts";
import { compile } from "../src/testing/compile.ts";
import {
  comparable,
  compareWithServer,
  generatedFiles,
  notReproduced,
  readabilityOf,
  sampleOfDefinition,
} from "./checks.ts";
import { cachedAt, isPinned, pinned } from "./pinned.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    show: { type: "string", default: "3" },
  },
});

/** Returns the pinned definitions. @throws {Error} if some were not fetched */
function definitions(): Definition[] {
  const missing = pinned.filter((file) => !isPinned(file));
  if (missing.length > 0)
    throw new Error(`${missing.length} files are missing; run npm run third-party -w @kubewright/codegen first`);
  return pinned.flatMap((file) =>
    parseAllDocuments(readFileSync(cachedAt(file), "utf8"))
      .map((document): Definition => document.toJS())
      .filter(
        (manifest) => manifest?.kind === "CustomResourceDefinition" && manifest.metadata.name.includes(values.only),
      ),
  );
}

/** Checks the generators with all pinned definitions, prints figures, and returns the number of problems. */
async function main(): Promise<number> {
  setPriority(10);
  const all = definitions();
  const problems: string[] = [];
  const say = (name: string, text: string): void => console.log(`${name.padEnd(13)} ${text}`);
  say("definitions", `${all.length} of ${new Set(pinned.map(({ module }) => module)).size} modules`);

  const interfaces = generatedFiles(all, "interface");
  const { interfaces: count, shapes, longestName, mostInFile } = readabilityOf(interfaces);
  say(
    "interfaces",
    `${count} for ${shapes} shapes; at most ${mostInFile} in a file; longest name ${longestName.length}: ${longestName}`,
  );

  const files = { ...interfaces, ...generatedFiles(all, "typebox") };
  const began = performance.now();
  const errors = compile(files);
  if (errors !== "") problems.push(errors);
  say(
    "compile",
    `${Object.keys(files).length} files in one program: ${errors === "" ? "no errors" : "ERRORS"}, ${Math.round((performance.now() - began) / 1_000)} s`,
  );

  const changed = all.flatMap(notReproduced);
  problems.push(...changed.map((name) => `${name} is not reproduced`));
  say("defineKind", `${changed.length} versions are not reproduced`);

  const samples = all.map((definition) => ({ definition, sample: sampleOfDefinition(definition) }));
  const open = samples.filter(({ sample }) => sample.errors.length > 0);
  say(
    "samples",
    `${all.length - open.length} valid, ${open.length} to be filled in: ${open.map(({ definition }) => definition.metadata.name).join(", ")}`,
  );

  await using env = await Environment.start({ crds: all.map(comparable) });
  await using client = new Client({ connection: env.connection() });
  let [objects, accepted, different] = [0, 0, 0];
  for (const definition of all.map(comparable)) {
    const parity = await compareWithServer(client, definition, {
      objects: Number(values.objects),
      seed: Number(values.seed),
    });
    objects += parity.objects;
    accepted += parity.accepted;
    different += parity.differences.length;
    for (const difference of parity.differences.slice(0, Number(values.show)))
      problems.push(JSON.stringify(difference, undefined, 1));
  }
  const server = process.env.KUBEBUILDER_ASSETS ? "the real API server" : "the embedded API server";
  say("parity", `${objects} random objects, ${accepted} of which ${server} accepts; parse differs for ${different}`);
  for (const problem of problems.slice(0, 50)) console.error(problem);
  return problems.length;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
