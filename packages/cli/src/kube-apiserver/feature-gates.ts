import { featureGateLines } from "./feature-gate-lines.ts";

/** A feature that kube-apiserver lets one switch. */
export interface FeatureGate {
  readonly name: string;
  readonly stage: "ALPHA" | "BETA" | "GA" | "DEPRECATED";
  readonly isOn: boolean;
  /** Cannot be switched any more. */
  readonly isLocked: boolean;
}

export const featureGates: ReadonlyMap<string, FeatureGate> = parse(featureGateLines);

function parse(text: string): Map<string, FeatureGate> {
  const gates = new Map<string, FeatureGate>();
  let traits: Omit<FeatureGate, "name"> = { stage: "ALPHA", isOn: false, isLocked: false };
  for (const line of text.split("\n")) {
    const heading = /^(ALPHA|BETA|GA|DEPRECATED) (on|off)( locked)?:$/.exec(line);
    if (heading) {
      const [, stage, state, locked] = heading;
      traits = { stage: stage as FeatureGate["stage"], isOn: state === "on", isLocked: locked !== undefined };
    } else for (const name of line.split(" ").filter(Boolean)) gates.set(name, { name, ...traits });
  }
  return gates;
}
