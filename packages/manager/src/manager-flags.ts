import { parseArgs } from "node:util";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import { errorText, type LogLevel } from "@kubewright/log";
import { parseBindAddress } from "./http-server.ts";
import type { ManagerOptions } from "./manager-options.ts";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const satisfies readonly LogLevel[];

/** Thrown for an unknown flag or an invalid value. The message contains the flag, its value and the allowed values. */
export class FlagError extends KubewrightError {
  override readonly name = "FlagError";
  readonly code = "ERR_MANAGER_FLAG";
}

/** Reports whether an error is a {@link FlagError}. */
export const isFlagError = isErrorWithCode<FlagError>("ERR_MANAGER_FLAG");

/** Values of a program's flags. */
export interface ManagerFlags {
  readonly help: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly logLevel: LogLevel | undefined;
  /** The program's own options, with the flags applied. */
  readonly options: ManagerOptions;
}

const flags = {
  help: { type: "boolean", short: "h" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  "leader-elect": { type: "boolean" },
  "leader-election-namespace": { type: "string" },
  shards: { type: "string" },
  "metrics-bind-address": { type: "string" },
  "metrics-cert-path": { type: "string" },
  "metrics-secure": { type: "boolean" },
  "health-probe-bind-address": { type: "string" },
  "webhook-host": { type: "string" },
  "webhook-port": { type: "string" },
  "webhook-cert-path": { type: "string" },
  "log-level": { type: "string" },
  preflight: { type: "boolean" },
} as const;

export const flagUsage = `  --kubeconfig FILE                 kubeconfig file (default: the one kubectl uses, or the pod's service account)
  --context NAME                    kubeconfig context (default: the current context)
  --leader-elect                    run the controllers only while this process holds the leader Lease
  --leader-election-namespace NAME  namespace of the leader Lease (default: the pod's namespace)
  --shards N                        share sharded controllers among the replicas in N shards; 0 disables sharding
  --metrics-bind-address ADDRESS    address to serve metrics on; "0" disables them
  --metrics-cert-path DIR           folder with tls.crt and tls.key for metrics over TLS
  --metrics-secure=false            serve metrics over plain HTTP, without authentication
  --health-probe-bind-address ADDR  address to serve /healthz and /readyz on; "0" disables them
  --webhook-host ADDRESS            address to serve webhooks on (default: all interfaces)
  --webhook-port PORT               port to serve webhooks on (default: 9443)
  --webhook-cert-path DIR           folder with tls.crt and tls.key for webhooks
  --preflight=false                 start the controllers without checking their permissions
  --log-level LEVEL                 minimum level of log messages: ${logLevels.join(", ")}
  -h, --help                        print this help`;

/**
 * Parses the flags that controller-runtime and kubebuilder programs accept. Only `--leader-elect` enables leader
 * election; the `leaderElection` option provides its settings.
 *
 * @throws {FlagError} with the flag, its value and the allowed values
 */
export function managerFlags(
  options: ManagerOptions = {},
  argv: readonly string[] = process.argv.slice(2),
): ManagerFlags {
  const values = parsed(argv);
  const { metrics, health, webhooks, leaderElection, sharding, ...rest } = options;
  const certDir = values["metrics-cert-path"];
  const webhookDir = values["webhook-cert-path"];
  const host = values["webhook-host"];
  const port = values["webhook-port"];
  const namespace = values["leader-election-namespace"];
  if (values["leader-elect"] && !leaderElection)
    throw new FlagError("--leader-elect: the program's options do not contain leaderElection; set leaderElection.id");
  return {
    help: values.help ?? false,
    kubeconfig: values.kubeconfig,
    context: values.context,
    logLevel: values["log-level"] === undefined ? undefined : levelOf(values["log-level"]),
    options: {
      ...rest,
      ...(values.preflight === undefined ? {} : { preflight: values.preflight }),
      metrics: {
        ...metrics,
        bindAddress: addressOf("metrics-bind-address", values) ?? metrics?.bindAddress,
        ...(certDir === undefined ? {} : { tls: { dir: certDir } }),
        ...securityOf(values["metrics-secure"], metrics, certDir),
      },
      health: { ...health, bindAddress: addressOf("health-probe-bind-address", values) ?? health?.bindAddress },
      webhooks: {
        ...webhooks,
        ...(host === undefined ? {} : { host }),
        ...(port === undefined ? {} : { port: portOf(port) }),
        ...(webhookDir === undefined ? {} : { certificates: { dir: webhookDir } }),
      },
      leaderElection:
        values["leader-elect"] && leaderElection
          ? { ...leaderElection, ...(namespace === undefined ? {} : { namespace }) }
          : undefined,
      ...shardingOf({ leaderElection, sharding }, values.shards, namespace),
    },
  };
}

/** Returns the options of sharding. Without `--leader-elect`, they still have the defaults that `leaderElection` provides. */
function shardingOf(
  { leaderElection, sharding }: ManagerOptions,
  flag: string | undefined,
  namespace: string | undefined,
): Pick<ManagerOptions, "sharding"> {
  if (flag !== undefined && !/^[0-9]{1,4}$/.test(flag))
    throw new FlagError(`--shards "${flag}": expected a number from 1 to 1000, or 0 to disable sharding`);
  const shards = flag === undefined ? sharding?.shards : Number(flag);
  if (!shards) return {};
  const { lock: _lock, labels: _labels, releaseOnCancel: _release, ...common } = leaderElection ?? {};
  const made = { ...common, ...sharding, shards, ...(namespace === undefined ? {} : { namespace }) };
  if (!made.id) throw new FlagError("--shards: the program's options do not name the Leases; set sharding.id");
  return { sharding: made };
}

/** Returns the options that `--metrics-secure` sets: TLS and authentication, or neither. Without the flag, the program decides. */
function securityOf(
  isSecure: boolean | undefined,
  metrics: ManagerOptions["metrics"],
  certDir: string | undefined,
): ManagerOptions["metrics"] {
  if (isSecure === undefined) return {};
  if (isSecure)
    return { authenticate: true, tls: certDir === undefined ? (metrics?.tls ?? "self-signed") : { dir: certDir } };
  if (certDir !== undefined)
    throw new FlagError("--metrics-secure=false and --metrics-cert-path cannot be used together; remove one of them");
  return { authenticate: false, tls: undefined };
}

function parsed(argv: readonly string[]) {
  // As with Go's flags, the value of a boolean flag may follow an equals sign.
  const args = argv.map((arg) =>
    arg.replace(/^(--(?:leader-elect|metrics-secure|preflight))=(?:true|false)$/, (_, flag: string) =>
      arg.endsWith("=true") ? flag : flag.replace("--", "--no-"),
    ),
  );
  try {
    return parseArgs({ args, options: flags, allowNegative: true, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const text = errorText(error);
    throw new FlagError(`${text.split(". To specify", 1)[0]}; --help lists all flags`, { cause: error });
  }
}

function addressOf<const N extends "metrics-bind-address" | "health-probe-bind-address">(
  name: N,
  { [name]: text }: { readonly [K in N]?: string | undefined },
): string | undefined {
  if (text === undefined) return undefined;
  try {
    parseBindAddress(text);
  } catch (error) {
    throw new FlagError(`--${name} "${text}": expected "host:port", ":port", or "0" to disable it`, { cause: error });
  }
  return text;
}

function portOf(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535)
    throw new FlagError(`--webhook-port "${text}": expected a number from 0 to 65535`);
  return Number(text);
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (!level) throw new FlagError(`--log-level "${text}": expected one of ${logLevels.join(", ")}`);
  return level;
}
