import { Command, InvalidArgumentError } from "commander";
import { type Flow, FlowError, type FlowTexts, flowOf } from "../trace/flow.ts";
import { namespace, namespaces, port, scheme } from "./operator-flags.ts";
import { UserError } from "./user-error.ts";

const inspectCommands = ["diff", "status", "export", "trace"] as const;
export type InspectCommand = (typeof inspectCommands)[number];
const outputs = ["table", "json", "yaml"] as const;

/** Command-line arguments of the commands that inspect one CNF. */
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
  /** The flow that `trace` follows. Undefined for the other commands. */
  readonly flow: Flow | undefined;
}

interface Options extends Omit<InspectFlags, "command" | "flow">, Partial<FlowTexts> {}

const descriptions: Readonly<Record<InspectCommand, string>> = {
  diff: "Shows where the pods of a CNF differ from its resources. Exits with code 0 if nothing differs, otherwise with 1.",
  status: "Shows the state of a CNF's resources and pods. Exits with code 0 if all are in sync, otherwise with 1.",
  trace:
    "Shows which resources decide what a CNF does with a connection. Exits with code 0 if every pod accepts the connection, otherwise with 1.",
  export:
    "Prints the unmanaged objects of a CNF as Kubernetes resources. Exits with code 0 if all objects could be exported, otherwise with 1.",
};

export const isInspectCommand = (word: string | undefined): word is InspectCommand =>
  inspectCommands.some((command) => command === word);

/**
 * Parses the arguments after the command.
 *
 * @throws {CommanderError} for `--help` and for invalid arguments, after printing the output
 * @throws {UserError} if the flow is not valid
 */
export function inspectFlags(command: InspectCommand, argv: readonly string[]): InspectFlags {
  const parser = new Command(`sdewan-operator ${command}`)
    .description(descriptions[command])
    .requiredOption("--purpose <purpose>", "purpose of the CNF to inspect")
    .option("--namespace <namespace>", "namespace of the CNF (default: any)", namespace);
  connectionOptions(parser);
  if (command === "trace") addFlowOptions(parser);
  const {
    from,
    to,
    in: incoming,
    sourcePort,
    mark,
    mac,
    icmpType,
    ...options
  } = parser.parse([...argv], { from: "user" }).opts<Options>();
  if (from === undefined || to === undefined) return { command, flow: undefined, ...options };
  const flow = given(() => flowOf({ from, to, in: incoming, sourcePort, mark, mac, icmpType }));
  return { command, flow, ...options };
}

/** Adds the options common to all commands that read the cluster and CNFs. */
export function connectionOptions(parser: Command): Command {
  return parser
    .option("--output <format>", `output format: ${outputs.join(", ")}`, output, "table" as const)
    .option(
      "--kubeconfig <file>",
      "kubeconfig file (default: KUBECONFIG, then the in-cluster configuration, then ~/.kube/config)",
    )
    .option(
      "--cnf-scheme <scheme>",
      "protocol for connections to the CNFs: http or https; use the same value as the operator",
      scheme,
      "https" as const,
    )
    .option(
      "--cnf-port <port>",
      "port that the CNFs listen on; use the same value as the operator (default: the scheme's standard port)",
      port,
    )
    .option(
      "--cnf-namespaces <namespaces>",
      "namespaces of the CNFs that a resource may configure; use the same value as the operator",
      namespaces,
      "same",
    )
    .addHelpText(
      "after",
      "\nExits with code 2 if the command line is invalid, and with code 3 if the cluster or a pod cannot be reached.",
    )
    .exitOverride();
}

function addFlowOptions(parser: Command): void {
  parser
    .requiredOption("--from <address>", "source address of the connection (IPv4)")
    .requiredOption(
      "--to <destination>",
      "destination of the connection: address:port/tcp, address:port/udp or address/icmp",
    )
    .option(
      "--in <interface>",
      "interface on which the first packet arrives (default: the interface of the route to --from)",
    )
    .option("--source-port <port>", "source port (default: unknown)")
    .option("--mark <mark>", "firewall mark of the packet when it arrives (default: 0)")
    .option("--mac <address>", "source MAC address (default: unknown)")
    .option("--icmp-type <name>", "ICMP type of the packet (default: echo-request)");
}

/** Turns the error about a flow into one that the program prints as one line. */
function given<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof FlowError ? new UserError(error.message) : error;
  }
}

function output(text: string): InspectFlags["output"] {
  const found = outputs.find((each) => each === text);
  if (!found) throw new InvalidArgumentError(`must be one of ${outputs.join(", ")}.`);
  return found;
}
