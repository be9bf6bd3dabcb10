import { Command, InvalidArgumentError } from "commander";
import { namespace, namespaces, port, scheme } from "./operator-flags.ts";

const inspectCommands = ["diff", "status", "export"] as const;
export type InspectCommand = (typeof inspectCommands)[number];
const outputs = ["table", "json", "yaml"] as const;

/** The command line of what looks at one CNF. */
export interface InspectFlags {
  readonly command: InspectCommand;
  readonly purpose: string;
  /** Where the CNF is; nothing: anywhere. */
  readonly namespace?: string;
  readonly output: (typeof outputs)[number];
  readonly kubeconfig?: string;
  readonly cnfScheme: "http" | "https";
  readonly cnfPort?: number;
  readonly cnfNamespaces: string;
}

const descriptions: Readonly<Record<InspectCommand, string>> = {
  diff: "Shows in what the pods of a CNF differ from what its resources say. Exit code 0: in nothing, 1: they differ.",
  status: "Shows how the resources of a CNF and its pods are. Exit code 0: all in sync, 1: not all.",
  export: "Writes resources for what a CNF holds and nobody manages. Exit code 0: for all of it, 1: not for all.",
};

export const isInspectCommand = (word: string | undefined): word is InspectCommand =>
  inspectCommands.some((command) => command === word);

/** Reads the command line after the command. @throws {CommanderError} for `--help` and for mistakes, after having told the user */
export function inspectFlags(command: InspectCommand, argv: readonly string[]): InspectFlags {
  const parser = new Command(`sdewan-operator ${command}`)
    .description(descriptions[command])
    .requiredOption("--purpose <purpose>", "which CNF: the value of its label sdewanPurpose")
    .option("--namespace <namespace>", "where the CNF is (default: wherever one has the purpose)", namespace)
    .option("--output <format>", outputs.join(", "), output, "table" as const)
    .option("--kubeconfig <file>", "default: KUBECONFIG, then the cluster this runs in, then ~/.kube/config")
    .option("--cnf-scheme <scheme>", "as the operator's", scheme, "https" as const)
    .option("--cnf-port <port>", "as the operator's", port)
    .option("--cnf-namespaces <namespaces>", "as the operator's", namespaces, "same")
    .addHelpText("after", "\nExit code 2: a mistake on the command line, 3: the cluster or a pod cannot be reached.")
    .exitOverride();
  return { command, ...parser.parse([...argv], { from: "user" }).opts<Omit<InspectFlags, "command">>() };
}

function output(text: string): InspectFlags["output"] {
  const found = outputs.find((each) => each === text);
  if (!found) throw new InvalidArgumentError(`want one of ${outputs.join(", ")}.`);
  return found;
}
