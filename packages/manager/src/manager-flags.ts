import { parseArgs } from "node:util";
import { errorText, type LogLevel } from "@kubewright/log";
import { parseBindAddress } from "./http/bind-address.ts";
import type { ManagerOptions } from "./manager-options.ts";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const satisfies readonly LogLevel[];

/** A flag that there is not, or a value that cannot be meant. The message names both, and says what may stand there. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** What the flags of a program say. */
export interface ManagerFlags {
  readonly help: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly logLevel: LogLevel | undefined;
  /** The program's own options, with what the flags say in place of them. */
  readonly options: ManagerOptions;
}

const flags = {
  help: { type: "boolean", short: "h" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  "leader-elect": { type: "boolean" },
  "leader-election-namespace": { type: "string" },
  "metrics-bind-address": { type: "string" },
  "metrics-cert-path": { type: "string" },
  "health-probe-bind-address": { type: "string" },
  "webhook-host": { type: "string" },
  "webhook-port": { type: "string" },
  "webhook-cert-path": { type: "string" },
  "log-level": { type: "string" },
  preflight: { type: "boolean" },
} as const;

export const flagUsage = `  --kubeconfig FILE                 which cluster; default: as kubectl finds it, or the one this pod is in
  --context NAME                    which context of the kubeconfig
  --leader-elect                    work only while this process holds the Lease
  --leader-election-namespace NAME  where the Lease is; default: the namespace of this pod
  --metrics-bind-address ADDRESS    where metrics are served; 0: nowhere
  --metrics-cert-path DIR           serve them over TLS, by tls.crt and tls.key of a folder
  --health-probe-bind-address ADDR  where /healthz and /readyz are served; 0: nowhere
  --webhook-host ADDRESS            which address webhooks are served at; default: all of this machine
  --webhook-port PORT               where webhooks are served; default: 9443
  --webhook-cert-path DIR           serve them by tls.crt and tls.key of a folder
  --preflight=false                 start controllers without asking whether they are allowed what they need
  --log-level LEVEL                 ${logLevels.join(", ")}
  -h, --help                        this text`;

/**
 * Reads the flags that programs of controller-runtime and kubebuilder have, by the same names. Leader election is on where `--leader-elect`
 * says so, by the options' `leaderElection`.
 *
 * @throws {FlagError} naming the flag, its value and what is wanted
 */
export function managerFlags(
  options: ManagerOptions = {},
  argv: readonly string[] = process.argv.slice(2),
): ManagerFlags {
  const values = parsed(argv);
  const { metrics, health, webhooks, leaderElection, ...rest } = options;
  const certDir = values["metrics-cert-path"];
  const webhookDir = values["webhook-cert-path"];
  const host = values["webhook-host"];
  const port = values["webhook-port"];
  const namespace = values["leader-election-namespace"];
  if (values["leader-elect"] && !leaderElection)
    throw new FlagError("--leader-elect: this program has no leaderElection in its options: give it an id");
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
    },
  };
}

function parsed(argv: readonly string[]) {
  // As Go's flags: a switch may have its value behind a sign of equality.
  const args = argv.map((arg) =>
    arg.replace(/^(--(?:leader-elect|preflight))=true$/, "$1").replace(/^--(leader-elect|preflight)=false$/, "--no-$1"),
  );
  try {
    return parseArgs({ args, options: flags, allowNegative: true, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const text = errorText(error);
    throw new FlagError(`${text.split(". To specify", 1)[0]}; --help lists what there is`, { cause: error });
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
    throw new FlagError(`--${name} "${text}": want "host:port", ":port", or "0" for none`, { cause: error });
  }
  return text;
}

function portOf(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535)
    throw new FlagError(`--webhook-port "${text}": want a number from 0 to 65535`);
  return Number(text);
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (!level) throw new FlagError(`--log-level "${text}": want one of ${logLevels.join(", ")}`);
  return level;
}
