import type { MetricsOptions } from "@kubewright/manager";
import type { OperatorFlags } from "../cli/operator-flags.ts";
import { UserError } from "../cli/user-error.ts";
import { isLoopback } from "./manager-options.ts";

type Tls = NonNullable<MetricsOptions["tls"]>;

/** Address and certificate of a console. */
export interface ConsoleSettings {
  readonly bindAddress: string;
  readonly tls?: Tls;
}

/**
 * Returns the console settings from the command line, or undefined if there is no console.
 *
 * @param metricsTls certificate of the metrics server, used on interfaces other than loopback if the console has no certificate
 * @throws {UserError} if other machines could access the console without encryption
 */
export function consoleSettings(
  { consoleBindAddress: bindAddress, consoleCertDir }: Pick<OperatorFlags, "consoleBindAddress" | "consoleCertDir">,
  metricsTls: Tls | undefined,
): ConsoleSettings | undefined {
  if (bindAddress === "0") return undefined;
  const tls = consoleCertDir ? { dir: consoleCertDir } : isLoopback(bindAddress) ? undefined : metricsTls;
  if (!tls && !isLoopback(bindAddress))
    throw new UserError(
      `--console-bind-address=${bindAddress}: other machines can reach this address, so the console requires TLS; set --console-cert-dir or --metrics-secure, or use 127.0.0.1 as the host`,
    );
  return { bindAddress, ...(tls ? { tls } : {}) };
}
