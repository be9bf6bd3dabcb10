import type { MetricsOptions } from "@kubewright/manager";
import type { OperatorFlags } from "../cli/operator-flags.ts";
import { UserError } from "../cli/user-error.ts";
import { isLoopback } from "./manager-options.ts";

type Tls = NonNullable<MetricsOptions["tls"]>;

/** Where a console is served. */
export interface ConsoleSettings {
  readonly bindAddress: string;
  readonly tls?: Tls;
}

/**
 * How the command line wants the console served; nothing if nowhere.
 *
 * @param metricsTls the certificate of the metrics, which serves beyond loopback where the console has none of its own
 * @throws {UserError} if other machines would read it unencrypted
 */
export function consoleSettings(
  { consoleBindAddress: bindAddress, consoleCertDir }: Pick<OperatorFlags, "consoleBindAddress" | "consoleCertDir">,
  metricsTls: Tls | undefined,
): ConsoleSettings | undefined {
  if (bindAddress === "0") return undefined;
  const tls = consoleCertDir ? { dir: consoleCertDir } : isLoopback(bindAddress) ? undefined : metricsTls;
  if (!tls && !isLoopback(bindAddress))
    throw new UserError(
      `--console-bind-address=${bindAddress}: other machines reach it, so it wants --console-cert-dir or --metrics-secure; or 127.0.0.1 as host`,
    );
  return { bindAddress, ...(tls ? { tls } : {}) };
}
