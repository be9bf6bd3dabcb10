import { featureGateLines } from "./feature-gate-lines.ts";

const stages = ["ALPHA", "BETA", "GA", "DEPRECATED"] as const;

/** A feature gate of kube-apiserver. */
export interface FeatureGate {
  readonly name: string;
  readonly stage: (typeof stages)[number];
  readonly isOn: boolean;
  /** True if the gate cannot be switched. */
  readonly isLocked: boolean;
}

export const featureGates: ReadonlyMap<string, FeatureGate> = parse(featureGateLines);

function parse(text: string): Map<string, FeatureGate> {
  const gates = new Map<string, FeatureGate>();
  for (const line of text.trim().split("\n")) {
    const [name = "", stage, state, locked] = line.split(" ");
    const known = stages.find((each) => each === stage);
    if (!known) throw new Error(`feature gate ${name}: unknown stage ${stage}`);
    gates.set(name, { name, stage: known, isOn: state === "on", isLocked: locked !== undefined });
  }
  return gates;
}
