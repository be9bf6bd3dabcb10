import { Command, InvalidArgumentError } from "commander";

/** The operator's command line. */
export interface OperatorFlags {
  readonly metricsBindAddress: string;
  readonly healthProbeBindAddress: string;
  readonly leaderElect: boolean;
  readonly leaderElectionNamespace?: string;
  /** Seconds. */
  readonly checkInterval: number;
  readonly kubeconfig?: string;
  readonly cnfScheme: "http" | "https";
  readonly cnfPort?: number;
  readonly logLevel: LogLevel;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

/** Reads the command line. @throws {CommanderError} for `--help` and for mistakes, after having told the user */
export function operatorFlags(argv: readonly string[]): OperatorFlags {
  const command = new Command("sdewan-operator")
    .description("Configures SD-EWAN CNFs from Kubernetes custom resources.")
    .option("--metrics-bind-address <address>", "where metrics are served; 0: nowhere", ":8080")
    .option("--health-probe-bind-address <address>", "where /healthz and /readyz are served; 0: nowhere", ":8081")
    .option("--leader-elect", "work only while this process holds the lease")
    .option("--leader-election-namespace <namespace>", "where the lease is (default: the pod's own namespace)")
    .option("--check-interval <seconds>", "time between two checks of the CNFs", seconds, 30)
    .option("--kubeconfig <file>", "default: KUBECONFIG, then the cluster this runs in, then ~/.kube/config")
    .option("--cnf-scheme <scheme>", "how CNFs are spoken to: http or https", scheme, "https" as const)
    .option("--cnf-port <port>", "where CNFs listen (default: the scheme's own port)", port)
    .option("--log-level <level>", logLevels.join(", "), logLevel, "info" as const)
    .exitOverride();
  type Given = Omit<OperatorFlags, "leaderElect"> & Partial<OperatorFlags>;
  return { leaderElect: false, ...command.parse([...argv], { from: "user" }).opts<Given>() };
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("want a number of seconds above 0.");
  return value;
}

function scheme(text: string): "http" | "https" {
  if (text !== "http" && text !== "https") throw new InvalidArgumentError("want http or https.");
  return text;
}

function port(text: string): number {
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
