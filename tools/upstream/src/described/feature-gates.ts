import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedGate } from "./server-description.ts";

/** `name stage on|off [locked]`. */
export const gateLines = (gates: readonly DescribedGate[]): string[] =>
  gates
    .map(({ name, stage, isOn, isLocked }) => `${name} ${stage} ${isOn ? "on" : "off"}${isLocked ? " locked" : ""}`)
    .sort();

export const featureGates = (gates: readonly DescribedGate[]): GeneratedFile =>
  tableModule("packages/cli/src/kube-apiserver/feature-gate-lines.ts", "kube-apiserver", [
    {
      name: "featureGateLines",
      comment: "The feature gates of kube-apiserver: name, stage, default, and whether it can be changed no more.",
      lines: gateLines(gates),
    },
  ]);
