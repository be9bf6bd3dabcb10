import { quote } from "@kubewright/apimachinery";
import type { FeatureGates } from "@kubewright/kube-apiserver";
import { booleanOf } from "../flags/go-numbers.ts";
import { type FeatureGate, featureGates } from "./feature-gates.ts";

/**
 * Parses values of `--feature-gates`.
 *
 * @throws {Error} if a feature gate is unknown or locked, with kube-apiserver's message
 * @see k8s.io/component-base/featuregate
 */
export function checkFeatureGates(texts: readonly string[]): ReadonlyMap<FeatureGate, boolean> {
  const switched = new Map<FeatureGate, boolean>();
  for (const pair of texts.flatMap((text) => text.split(",")).filter(Boolean)) {
    const [name, value] = splitPair(pair);
    const isOn = booleanOf(value);
    if (isOn === undefined)
      throw new Error(
        `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${quote(value)}: invalid syntax`,
      );
    const gate = featureGates.get(name);
    if (!gate) throw new Error(`unrecognized feature gate: ${name}`);
    if (gate.isLocked && isOn !== gate.isOn)
      throw new Error(`cannot set feature gate ${name} to ${isOn}, feature is locked to ${gate.isOn}`);
    switched.set(gate, isOn);
  }
  return switched;
}

/** Names of the feature gates that the server can switch. All of them are alpha. */
const implemented: readonly (keyof FeatureGates)[] = ["ShardedListAndWatch"];

/**
 * Returns the options for the feature gates that the server supports, and those other gates whose requested value
 * differs from their default. As in upstream, `AllAlpha` applies to all alpha gates that are not set explicitly.
 */
export function effectsOf(switched: ReadonlyMap<FeatureGate, boolean>): {
  readonly featureGates: FeatureGates;
  readonly withoutEffect: readonly (readonly [name: string, isOn: boolean])[];
} {
  const byName = new Map([...switched].map(([{ name }, isOn]) => [name, isOn]));
  const set = implemented.flatMap((name) => {
    const isOn = byName.get(name) ?? byName.get("AllAlpha");
    return isOn === undefined ? [] : [[name, isOn] as const];
  });
  const others = [...switched].filter(
    ([gate, isOn]) => gate.isOn !== isOn && !implemented.some((name) => name === gate.name),
  );
  return { featureGates: Object.fromEntries(set), withoutEffect: others.map(([{ name }, isOn]) => [name, isOn]) };
}

function splitPair(pair: string): [name: string, value: string] {
  const [full = "", ...rest] = pair.trim().split("=");
  const parts = full.split(":");
  const [component, name] = parts.length > 1 ? [parts[0] ?? "", parts.slice(1).join(":")] : ["kube", full];
  if (component !== "kube") throw new Error(`component not registered: ${component}`);
  if (rest.length === 0) throw new Error(`missing bool value for ${name}`);
  return [name.trim(), rest.join("=").trim()];
}
