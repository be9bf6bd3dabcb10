import { join } from "node:path";
import { Environment } from "@kubewright/envtest";
import { describe, expect, it } from "vitest";
import { answersOf, assets, complaints, drift, isRecording } from "./runner/check-section.ts";
import { findKubectl, type Kubectl, runKubectl } from "./runner/kubectl.ts";
import { hasRecording, readRecording, writeRecording } from "./runner/recordings.ts";
import { kubectlSequences } from "./sequences/kubectl.ts";

const programs = ["kubectl", ...(assets === "" ? [] : [join(assets, "kubectl")])];
const found = (await Promise.all(programs.map(findKubectl))).filter((kubectl) => kubectl !== undefined);
const clients = [...new Map(found.map((kubectl) => [kubectl.version, kubectl])).values()];

/** Time for all commands on a machine that does much else. A command that hangs is ended after a minute. */
const commandsMs = 3_600_000;

const answersOn = (bed: string, kubectl: Kubectl) =>
  answersOf(
    () => Environment.start({ assets: bed }),
    kubectlSequences,
    (environment, sequence) => runKubectl(environment, kubectl, sequence),
  );

describe("kubectl on the embedded server and on kube-apiserver", () => {
  it.each(clients)("prints the same: $version", { timeout: commandsMs }, async (kubectl) => {
    const recording = `kubectl-${kubectl.version}`;
    const real = assets === "" ? undefined : await answersOn(assets, kubectl);
    if (real && isRecording) writeRecording(recording, real);
    if (!hasRecording(recording)) return expect(real).toBeUndefined(); // a version without recording
    const recorded = readRecording(recording);
    expect(complaints(recorded, await answersOn("", kubectl), `${recording}:`).join("\n")).toBe("");
    if (real) expect(drift(recorded, real).join("\n")).toBe("");
  });

  it("has the output of each command for each recorded version", () => {
    const steps = kubectlSequences.flatMap(({ name, steps }) => steps.map(({ id }) => `${name}/${id}`));
    expect(new Set(steps).size).toBe(steps.length);
  });
});
