import { Client } from "@kubewright/client";
import { Environment } from "@kubewright/envtest";
import { describe, expect, it } from "vitest";
import { compile } from "./src/testing/compile.ts";
import {
  comparable,
  compareWithServer,
  generatedFiles,
  notReproduced,
  readabilityOf,
  sampleOfDefinition,
} from "./third-party/checks.ts";
import { pinned } from "./third-party/pinned.ts";
import { smallDefinitions } from "./third-party/small-definitions.ts";

const names = smallDefinitions.map(({ metadata }) => metadata.name);
const definitionOf = (name: string) => smallDefinitions.filter(({ metadata }) => metadata.name === name);

describe("definitions as other projects write them", () => {
  it("become types that compile, in every style", () => {
    const interfaces = generatedFiles(smallDefinitions, "interface");
    expect(compile({ ...interfaces, ...generatedFiles(smallDefinitions, "typebox") })).toBe("");
  }, 120_000);

  it("have few interfaces with short names", () => {
    const interfaces = generatedFiles(smallDefinitions, "interface");
    const { longestName, mostInFile } = readabilityOf(interfaces);
    expect(longestName.length).toBeLessThanOrEqual(40);
    expect(mostInFile).toBeLessThanOrEqual(16);
    const text = Object.values(interfaces).join("\n");
    for (const type of ["Condition", "LabelSelector", "ResourceRequirements", "SecretKeySelector", "Toleration"])
      expect(text).toMatch(new RegExp(`import type \\{.*\\b${type}\\b.*\\} from "kubewright/kinds"`));
  });

  it.each(names)("%s is reproduced by its defineKind", (name) => {
    expect(definitionOf(name).flatMap(notReproduced)).toEqual([]);
  });

  it("have samples that a server accepts, unless a rule is not simple", () => {
    const open = smallDefinitions.filter((definition) => sampleOfDefinition(definition).errors.length > 0);
    expect(open.map(({ metadata }) => metadata.name)).toEqual(["stores.secrets.example.com"]);
  });

  it("are parsed as the API server does", async () => {
    const definitions = smallDefinitions.map(comparable);
    await using env = await Environment.start({ crds: definitions });
    await using client = new Client({ connection: env.connection() });
    let accepted = 0;
    for (const definition of definitions) {
      const parity = await compareWithServer(client, definition, { objects: 50, seed: 1 });
      expect(parity.differences).toEqual([]);
      accepted += parity.accepted;
    }
    expect(accepted, "most objects are valid").toBeGreaterThan(25 * definitions.length);
    expect(accepted, "some objects are not valid").toBeLessThan(45 * definitions.length);
  }, 120_000);
});

it("pins definitions of many projects, each file once", () => {
  expect(new Set(pinned.map(({ module }) => module)).size).toBeGreaterThanOrEqual(13);
  expect(pinned.length).toBeGreaterThanOrEqual(150);
  expect(new Set(pinned.map(({ sha256 }) => sha256)).size).toBe(pinned.length);
});
