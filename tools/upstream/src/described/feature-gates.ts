import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedGate } from "./server-description.ts";

const width = 120;

/** Names below a heading with what they have in common. */
export function gateLines(gates: readonly DescribedGate[]): string[] {
  const headings = ["ALPHA", "BETA", "GA", "DEPRECATED"].flatMap((stage) =>
    ["on", "on locked", "off", "off locked"].map((state) => `${stage} ${state}`),
  );
  const names = new Map<string, string[]>(headings.map((heading) => [heading, []]));
  for (const { name, stage, isOn, isLocked } of gates) {
    const heading = `${stage} ${isOn ? "on" : "off"}${isLocked ? " locked" : ""}`;
    const known = names.get(heading);
    if (!known) throw new Error(`the feature gate ${name} is ${heading}, which no heading says`);
    known.push(name);
  }
  return [...names].flatMap(([heading, found]) => (found.length > 0 ? [`${heading}:`, ...wrapped(found)] : []));
}

function wrapped(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + name.length <= width) lines[lines.length - 1] = `${line} ${name}`;
    else lines.push(`  ${name}`);
  }
  return lines;
}

export const featureGates = (gates: readonly DescribedGate[]): GeneratedFile =>
  tableModule("packages/cli/src/kube-apiserver/feature-gate-lines.ts", "kube-apiserver", [
    {
      name: "featureGateLines",
      comment: "The feature gates of kube-apiserver: stage and default in the headings.",
      lines: gateLines(gates),
    },
  ]);
