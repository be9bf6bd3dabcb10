import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { output } from "../commands.ts";

/** Description of kube-apiserver that the program in `server/` prints. */
export interface ServerDescription {
  readonly flags: readonly DescribedFlag[];
  readonly featureGates: readonly DescribedGate[];
  /** Admission plugins, in the order in which they run. */
  readonly admissionPlugins: readonly DescribedPlugin[];
  /** Versions for which types exist, keyed by group. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
  /** Groups for which clients have types. */
  readonly clientGroups: readonly string[];
}

export interface DescribedFlag {
  readonly section: string;
  readonly name: string;
  readonly type: string;
  readonly default: string;
}

export interface DescribedGate {
  readonly name: string;
  readonly stage: string;
  readonly isOn: boolean;
  readonly isLocked: boolean;
}

export interface DescribedPlugin {
  readonly name: string;
  readonly isOn: boolean;
}

/** Builds the program in `server/` together with kube-apiserver's modules and runs it. */
export function describeServer(module: string, workFolder: string): ServerDescription {
  const folder = join(workFolder, "described");
  mkdirSync(folder, { recursive: true });
  cpSync(module, folder, { recursive: true });
  cpSync(join(import.meta.dirname, "..", "..", "server"), folder, { recursive: true });
  const program = join(folder, "describe");
  output("go", ["build", "-mod=mod", "-trimpath", "-o", program, "."], { folder, env: { CGO_ENABLED: "0" } });
  return JSON.parse(output(program, [], { folder })) as ServerDescription;
}
