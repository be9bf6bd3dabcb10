import { featureGateLines } from "./feature-gate-lines.ts";

const stages = ["ALPHA", "BETA", "GA", "DEPRECATED"] as const;

/** A feature that kube-apiserver lets one switch. */
export interface FeatureGate {
  readonly name: string;
  readonly stage: (typeof stages)[number];
  readonly isOn: boolean;
  /** Cannot be switched any more. */
  readonly isLocked: boolean;
}

export const featureGates: ReadonlyMap<string, FeatureGate> = parse(featureGateLines);

function parse(text: string): Map<string, FeatureGate> {
  const gates = new Map<string, FeatureGate>();
  for (const line of text.trim().split("\n")) {
    const [name = "", stage, state, locked] = line.split(" ");
    const known = stages.find((each) => each === stage);
    if (!known) throw new Error(`feature gate ${name}: no stage is called ${stage}`);
    gates.set(name, { name, stage: known, isOn: state === "on", isLocked: locked !== undefined });
  }
  return gates;
}
