import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedGate } from "./server-description.ts";

/** Returns a line for each feature gate, in the form `name stage on|off [locked]`. */
export const gateLines = (gates: readonly DescribedGate[]): string[] =>
  gates
    .map(({ name, stage, isOn, isLocked }) => `${name} ${stage} ${isOn ? "on" : "off"}${isLocked ? " locked" : ""}`)
    .sort();

export const featureGates = (gates: readonly DescribedGate[]): GeneratedFile =>
  tableModule("packages/cli/src/kube-apiserver/feature-gate-lines.ts", "kube-apiserver", [
    {
      name: "featureGateLines",
      comment: "kube-apiserver's feature gates: name, stage, default, and `locked` if the default cannot be changed.",
      lines: gateLines(gates),
    },
  ]);
