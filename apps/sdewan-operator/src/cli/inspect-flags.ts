import { Command, InvalidArgumentError } from "commander";
import { namespace, namespaces, port, scheme } from "./operator-flags.ts";

const inspectCommands = ["diff", "status", "export"] as const;
export type InspectCommand = (typeof inspectCommands)[number];
const outputs = ["table", "json", "yaml"] as const;

/** The command line of the commands that inspect one CNF. */
export interface InspectFlags {
  readonly command: InspectCommand;
  readonly purpose: string;
  /** Namespace of the CNF. Default: any. */
  readonly namespace?: string;
  readonly output: (typeof outputs)[number];
  readonly kubeconfig?: string;
  readonly cnfScheme: "http" | "https";
  readonly cnfPort?: number;
  readonly cnfNamespaces: string;
}

const descriptions: Readonly<Record<InspectCommand, string>> = {
  diff: "Shows the differences between the pods of a CNF and its resources. Exit code 0: no differences, 1: differences.",
  status: "Shows the state of the resources and pods of a CNF. Exit code 0: all are in sync, 1: some are not.",
  export: "Prints resources for the unmanaged objects of a CNF. Exit code 0: for all objects, 1: only for some.",
};

export const isInspectCommand = (word: string | undefined): word is InspectCommand =>
  inspectCommands.some((command) => command === word);

/**
 * Parses the arguments after the command.
 *
 * @throws {CommanderError} for `--help` and for invalid arguments, after printing the output
 */
export function inspectFlags(command: InspectCommand, argv: readonly string[]): InspectFlags {
  const parser = new Command(`sdewan-operator ${command}`)
    .description(descriptions[command])
    .requiredOption("--purpose <purpose>", "CNF to inspect: value of its label sdewanPurpose")
    .option("--namespace <namespace>", "namespace of the CNF (default: any)", namespace)
    .option("--output <format>", `output format: ${outputs.join(", ")}`, output, "table" as const)
    .option(
      "--kubeconfig <file>",
      "kubeconfig file (default: KUBECONFIG, then the in-cluster configuration, then ~/.kube/config)",
    )
    .option(
      "--cnf-scheme <scheme>",
      "protocol of the CNFs: http or https; use the operator's value",
      scheme,
      "https" as const,
    )
    .option(
      "--cnf-port <port>",
      "port of the CNFs; use the operator's value (default: the standard port of the scheme)",
      port,
    )
    .option(
      "--cnf-namespaces <namespaces>",
      "namespaces of the CNFs that a resource may configure; use the operator's value",
      namespaces,
      "same",
    )
    .addHelpText("after", "\nExit code 2: error on the command line, 3: the cluster or a pod cannot be reached.")
    .exitOverride();
  return { command, ...parser.parse([...argv], { from: "user" }).opts<Omit<InspectFlags, "command">>() };
}

function output(text: string): InspectFlags["output"] {
  const found = outputs.find((each) => each === text);
  if (!found) throw new InvalidArgumentError(`must be one of ${outputs.join(", ")}.`);
  return found;
}
