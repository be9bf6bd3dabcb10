import { Command, InvalidArgumentError } from "commander";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { type DriftPolicy, driftPolicies } from "../tell/drift-policy.ts";

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
  /** Seconds. */
  readonly checkInterval: number;
  readonly kubeconfig?: string;
  readonly cnfScheme: "http" | "https";
  readonly cnfPort?: number;
  readonly cnfNamespaces: string;
  readonly cnfMaxAnswerBytes?: number;
  readonly statusNamespace?: string;
  readonly drift: DriftPolicy;
  readonly logLevel: LogLevel;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

/** Reads the command line. @throws {CommanderError} for `--help` and for mistakes, after having told the user */
export function operatorFlags(argv: readonly string[]): OperatorFlags {
  const command = new Command("sdewan-operator")
    .description("Configures SD-EWAN CNFs from Kubernetes custom resources.")
    .option("--metrics-bind-address <address>", "where metrics are served; 0: nowhere", address, ":8080")
    .option("--metrics-secure", "serve metrics over TLS; without --metrics-cert-dir by a certificate of this process")
    .option("--metrics-cert-dir <dir>", "where tls.crt and tls.key for metrics are; implies --metrics-secure")
    .option(
      "--webhook-cert-secret <namespace/name>",
      "serve the webhooks, by a certificate of the operator's own that is kept in this Secret",
      secretName,
    )
    .option("--webhook-cert-dir <dir>", "serve the webhooks, by tls.crt and tls.key in this folder")
    .option("--webhook-client-ca <file>", "refuse callers of the webhooks without a certificate that this CA signed")
    .option("--webhook-port <port>", "where webhooks are served", port, 9443)
    .option(
      "--health-probe-bind-address <address>",
      "where /healthz and /readyz are served; 0: nowhere",
      address,
      ":8081",
    )
    .option(
      "--console-bind-address <address>",
      "where the console is served, such as 127.0.0.1:8090; 0: nowhere; beyond loopback over TLS only",
      address,
      "0",
    )
    .option("--console-cert-dir <dir>", "where tls.crt and tls.key for the console are (default: those of the metrics)")
    .option("--leader-elect", "work only while this process holds the lease")
    .option("--leader-election-namespace <namespace>", "where the lease is (default: the pod's own namespace)")
    .option("--check-interval <seconds>", "time between two checks of the CNFs", seconds, 30)
    .option("--kubeconfig <file>", "default: KUBECONFIG, then the cluster this runs in, then ~/.kube/config")
    .option("--cnf-scheme <scheme>", "how CNFs are spoken to: http or https", scheme, "https" as const)
    .option("--cnf-port <port>", "where CNFs listen (default: the scheme's own port)", port)
    .option(
      "--cnf-namespaces <namespaces>",
      "where the CNFs are that a resource may configure: same (its own), * (any), or a list such as a,b",
      namespaces,
      "same",
    )
    .option("--cnf-max-answer-bytes <bytes>", "a longer answer of a CNF is an error (default: 4194304)", bytes)
    .option(
      "--status-namespace <namespace>",
      "where the CNFStatus cnf-status is (default: the pod's own namespace, or sdewan-system)",
      namespace,
    )
    .option(
      "--drift <policy>",
      "what somebody changed on a CNF: repair (put right) or report (left so)",
      drift,
      "repair",
    )
    .option("--log-level <level>", logLevels.join(", "), logLevel, "info" as const)
    .addHelpText("after", "\nInstead of flags, one of diff, status and export, with --purpose: see their own --help.")
    .exitOverride();
  type Given = Omit<OperatorFlags, "leaderElect" | "metricsSecure"> & Partial<OperatorFlags>;
  return { leaderElect: false, metricsSecure: false, ...command.parse([...argv], { from: "user" }).opts<Given>() };
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("want a number of seconds above 0.");
  return value;
}

function address(text: string): string {
  const port = Number(/^(?:\[.+\]|[^:]*):(?<port>[0-9]{1,5})$/.exec(text)?.groups?.port ?? Number.NaN);
  if (text !== "0" && !(port <= 65_535)) throw new InvalidArgumentError("want host:port, :port or 0.");
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
    throw new InvalidArgumentError("want the name of a namespace.");
  return text;
}

function secretName(text: string): string {
  if (!/^[a-z0-9][-a-z0-9]{0,62}\/[a-z0-9][-.a-z0-9]{0,252}$/.test(text))
    throw new InvalidArgumentError("want namespace/name of a Secret.");
  return text;
}

function bytes(text: string): number {
  const value = Number(text);
  if (!/^[0-9]{1,10}$/.test(text) || value < 1_024) throw new InvalidArgumentError("want a number of bytes from 1024.");
  return value;
}

function drift(text: string): DriftPolicy {
  const policy = driftPolicies.find((each) => each === text);
  if (!policy) throw new InvalidArgumentError(`want one of ${driftPolicies.join(", ")}.`);
  return policy;
}

export function scheme(text: string): "http" | "https" {
  if (text !== "http" && text !== "https") throw new InvalidArgumentError("want http or https.");
  return text;
}

export function port(text: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < 1 || value > 65_535)
    throw new InvalidArgumentError("want a number from 1 to 65535.");
  return value;
}

function logLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (!level) throw new InvalidArgumentError(`want one of ${logLevels.join(", ")}.`);
  return level;
}
