import { parseGoDuration } from "@kubewright/apimachinery";
import { Command, InvalidArgumentError, Option } from "commander";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { confirmWait } from "../confirm/confirm-settings.ts";
import { type DriftPolicy, driftPolicies } from "../rules/drift-policy.ts";

/** The operator's command line. */
export interface OperatorFlags {
  readonly metricsBindAddress: string;
  readonly metricsSecure: boolean;
  readonly metricsCertDir?: string;
  readonly webhookCertSecret?: string;
  readonly webhookCertDir?: string;
  readonly webhookClientCa?: string;
  readonly webhookPort: number;
  readonly healthProbeBindAddress: string;
  readonly consoleBindAddress: string;
  readonly consoleCertDir?: string;
  readonly leaderElect: boolean;
  readonly leaderElectionNamespace?: string;
  /** Interval between checks of the CNFs, in seconds. */
  readonly checkInterval: number;
  readonly kubeconfig?: string;
  readonly cnfScheme: "http" | "https";
  readonly cnfPort?: number;
  readonly cnfNamespaces: string;
  readonly cnfMaxResponseBytes?: number;
  readonly statusNamespace?: string;
  readonly drift: DriftPolicy;
  /** Time within which probes must pass after a change, in milliseconds. 0 disables confirmation. */
  readonly confirmChanges: number;
  /** Time for which a stage must be in sync before the next one begins, in milliseconds. */
  readonly soak: number;
  readonly logLevel: LogLevel;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

/**
 * Parses the command line.
 *
 * @throws {CommanderError} for `--help` and for invalid arguments, after printing the output
 */
export function operatorFlags(argv: readonly string[]): OperatorFlags {
  const command = new Command("sdewan-operator")
    .description("Configures SD-EWAN CNFs from Kubernetes custom resources.")
    .option("--metrics-bind-address <address>", "address to serve metrics on; 0 disables metrics", address, ":8080")
    .option(
      "--metrics-secure",
      "serve metrics over TLS, with a self-signed certificate unless --metrics-cert-dir is set",
    )
    .option("--metrics-cert-dir <dir>", "folder with tls.crt and tls.key for metrics; implies --metrics-secure")
    .option(
      "--webhook-cert-secret <namespace/name>",
      "serve the webhooks with a certificate that the operator issues and stores in this Secret",
      secretName,
    )
    .option("--webhook-cert-dir <dir>", "folder with tls.crt and tls.key for the webhooks")
    .option("--webhook-client-ca <file>", "accept only webhook callers with a certificate signed by this CA")
    .option("--webhook-port <port>", "port to serve the webhooks on", port, 9443)
    .option(
      "--health-probe-bind-address <address>",
      "address to serve /healthz and /readyz on; 0 disables them",
      address,
      ":8081",
    )
    .option(
      "--console-bind-address <address>",
      "address to serve the console on; addresses other than loopback require TLS; 0 disables it",
      address,
      "0",
    )
    .option(
      "--console-cert-dir <dir>",
      "folder with tls.crt and tls.key for the console (default: the value of --metrics-cert-dir)",
    )
    .option("--leader-elect", "run the controllers only while this process holds the leader Lease")
    .option("--leader-election-namespace <namespace>", "namespace of the leader Lease (default: the pod's namespace)")
    .option("--check-interval <seconds>", "interval between checks of all CNFs, in seconds", seconds, 30)
    .option(
      "--kubeconfig <file>",
      "kubeconfig file (default: KUBECONFIG, then the in-cluster configuration, then ~/.kube/config)",
    )
    .option("--cnf-scheme <scheme>", "protocol for connections to the CNFs: http or https", scheme, "https" as const)
    .option("--cnf-port <port>", "port that the CNFs listen on (default: the scheme's standard port)", port)
    .option(
      "--cnf-namespaces <namespaces>",
      "namespaces of the CNFs that a resource may configure: same (the resource's own), * (all) or a list such as a,b",
      namespaces,
      "same",
    )
    .option("--cnf-max-response-bytes <bytes>", "maximum size of a CNF response, in bytes (default: 4194304)", bytes)
    .option(
      "--status-namespace <namespace>",
      "namespace in which to store the CNFStatus object cnf-status (default: the pod's namespace, or sdewan-system)",
      namespace,
    )
    .option(
      "--drift <policy>",
      "policy for changes that others make to a CNF: repair (revert them) or report (keep them)",
      drift,
      "repair",
    )
    .addOption(
      new Option(
        "--confirm-changes <duration>",
        "roll back changes to a CNF unless its probes pass within this time, such as 30s",
      )
        .argParser(confirmChanges)
        .default(0, "off"),
    )
    .addOption(
      new Option(
        "--soak <duration>",
        "time for which a stage must be in sync and effective before a change reaches the next stage",
      )
        .argParser(duration)
        .default(60_000, "60s"),
    )
    .option("--log-level <level>", `minimum level of log messages: ${logLevels.join(", ")}`, logLevel, "info" as const)
    .addHelpText(
      "after",
      "\nTo inspect a CNF, run diff, status, export or trace. To see what a change will do, run plan. Each command has its own --help.",
    )
    .exitOverride();
  type Given = Omit<OperatorFlags, "leaderElect" | "metricsSecure"> & Partial<OperatorFlags>;
  return { leaderElect: false, metricsSecure: false, ...command.parse([...argv], { from: "user" }).opts<Given>() };
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("must be a number of seconds above 0.");
  return value;
}

/** Maximum soak time. */
const maxSoakMs = 7 * 24 * 3_600_000;

export function duration(text: string): number {
  const ns = parseGoDuration(text);
  const ms = ns === undefined ? Number.NaN : Number(ns / 1_000_000n);
  if (!(ms >= 0 && ms <= maxSoakMs))
    throw new InvalidArgumentError("must be a duration from 0s to 168h, such as 90s or 5m.");
  return ms;
}

function address(text: string): string {
  const port = Number(/^(?:\[.+\]|[^:]*):(?<port>[0-9]{1,5})$/.exec(text)?.groups?.port ?? Number.NaN);
  if (text !== "0" && !(port <= 65_535)) throw new InvalidArgumentError("must be host:port, :port or 0.");
  return text;
}

export function namespaces(text: string): string {
  try {
    return CnfScope.from(text).text;
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
}

export function namespace(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError("must be the name of a namespace.");
  return text;
}

function secretName(text: string): string {
  if (!/^[a-z0-9][-a-z0-9]{0,62}\/[a-z0-9][-.a-z0-9]{0,252}$/.test(text))
    throw new InvalidArgumentError("must be the namespace/name of a Secret.");
  return text;
}

function bytes(text: string): number {
  const value = Number(text);
  if (!/^[0-9]{1,10}$/.test(text) || value < 1_024)
    throw new InvalidArgumentError("must be a number of bytes, at least 1024.");
  return value;
}

function drift(text: string): DriftPolicy {
  const policy = driftPolicies.find((each) => each === text);
  if (!policy) throw new InvalidArgumentError(`must be one of ${driftPolicies.join(", ")}.`);
  return policy;
}

export function confirmChanges(text: string): number {
  try {
    return confirmWait(text);
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
}

export function scheme(text: string): "http" | "https" {
  if (text !== "http" && text !== "https") throw new InvalidArgumentError("must be http or https.");
  return text;
}

export function port(text: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < 1 || value > 65_535)
    throw new InvalidArgumentError("must be a number from 1 to 65535.");
  return value;
}

function logLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (!level) throw new InvalidArgumentError(`must be one of ${logLevels.join(", ")}.`);
  return level;
}
