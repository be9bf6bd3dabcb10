import { timeoutSignal, untilAborted } from "@kubewright/clock";
import type { FlagValues } from "../flags/flag-values.ts";
import type { Io } from "../process/io.ts";
import { checkFeatureGates, effectsOf } from "./check-feature-gates.ts";
import { commandFailed, OptionErrors } from "./command-failed.ts";
import { type CommandLine, readCommandLine } from "./command-line.ts";
import { isEtcdStandIn } from "./etcd-stand-in.ts";
import { flagsWithoutEffect, kubeApiServerFlags } from "./flag-table.ts";
import { advertised } from "./host-address.ts";
import { klogLine } from "./klog.ts";
import { optionErrors } from "./option-errors.ts";
import { notServed, runtimeConfigOf } from "./runtime-config.ts";
import { serverOptions } from "./server-flags.ts";
import { certificateFiles, certificateFolder } from "./serving-certificate.ts";
import { etcdStorage } from "./storage-flags.ts";
import { tlsOptionsOf } from "./tls-flags.ts";
import { withoutAnonymity } from "./without-anonymity.ts";

export const standInCommandLine: CommandLine = {
  program: "kube-apiserver",
  table: kubeApiServerFlags,
  ignored: flagsWithoutEffect,
  intro: "Kubewright's API server with the name and flags of kube-apiserver, for envtest.",
};

/**
 * Runs the stand-in for kube-apiserver until the signal aborts.
 *
 * @returns the exit code
 */
export async function runKubeApiServer(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const values = readCommandLine(standInCommandLine, argv, io);
  if (typeof values === "number") return values;
  try {
    await serve(values, io, signal);
    return 0;
  } catch (error) {
    io.err(commandFailed(error));
    return 1;
  }
}

async function serve(values: FlagValues, io: Io, signal: AbortSignal): Promise<void> {
  const { featureGates, withoutEffect } = effectsOf(checkFeatureGates(values.texts("feature-gates")));
  const warn = (text: string): void => io.err(klogLine("W", "kubewright", text));
  const ignored = values.names.filter((name) => flagsWithoutEffect.has(name));
  if (ignored.length > 0) warn(`accepted, but have no effect here: ${ignored.map((name) => `--${name}`).join(", ")}`);
  for (const [name, isOn] of withoutEffect) {
    const exception = name === "AllAlpha" ? `, except on ${Object.keys(featureGates).join(", ")}` : "";
    warn(`--feature-gates ${name}=${isOn} is accepted, but has no effect here${exception}`);
  }
  if (values.has("allow-privileged") && !values.boolean("allow-privileged"))
    warn("--allow-privileged=false is accepted, but has no effect here");
  const runtimeConfig = runtimeConfigOf(values);
  for (const key of notServed(runtimeConfig))
    warn(`--runtime-config ${key}=true is accepted, but adds no versions to those served by default`);
  const errors = optionErrors(values, {
    storageBackends: ["etcd3"],
    allowsFreePort: false,
    demandsEtcdAndKeys: true,
  });
  if (errors.length > 0) throw new OptionErrors(errors);
  const tls = tlsOptionsOf(values);
  const etcdServers = values.list("etcd-servers");
  const [{ ApiServer }, isOurs] = await Promise.all([
    import("@kubewright/kube-apiserver"),
    areAllStandIns(etcdServers, AbortSignal.any([signal, timeoutSignal(etcdStartMs)])),
  ]);
  const host = values.text("bind-address");
  const port = values.number("secure-port");
  const serving =
    certificateFiles(values) ?? certificateFolder(values.text("cert-dir"), [host, "localhost", "127.0.0.1"]);
  const server = await ApiServer.start({
    serviceClusterIpRange: "10.0.0.0/24", // default of kube-apiserver
    ...advertised(host),
    ...withoutAnonymity(serverOptions(values), warn),
    ...(isOurs ? {} : { storage: etcdStorage(values) }),
    ...tls,
    runtimeConfig,
    featureGates,
    flags: flagTexts(values),
    host,
    port,
    serving,
  }).catch((error: unknown) => {
    throw listenError(error, `${host}:${port}`);
  });
  io.err(klogLine("I", "secure_serving.go:211", `Serving securely on ${host}:${server.port}`));
  await untilAborted(signal);
  await server.stop();
}

/** Returns the flags for `/flagz`: all flags that have an effect or were given. Lists are in brackets, as Go prints them. */
const flagTexts = (values: FlagValues): Record<string, string> =>
  Object.fromEntries(
    [...kubeApiServerFlags, ...[...flagsWithoutEffect].filter(([name]) => values.has(name))].map(([name, { type }]) => [
      name,
      /^(strings|stringArray|map|stringTo|mapString)/.test(type)
        ? `[${values.texts(name).join(",")}]`
        : values.text(name),
    ]),
  );

/** Maximum time to wait for etcd to respond, in milliseconds. */
const etcdStartMs = 10_000;

async function areAllStandIns(servers: readonly string[], signal: AbortSignal): Promise<boolean> {
  return (await Promise.all(servers.map((server) => isEtcdStandIn(server, signal)))).every(Boolean);
}

function listenError(error: unknown, address: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EADDRINUSE") return error;
  const reason = `listen tcp ${address}: bind: address already in use`;
  return new Error(`failed to create listener: failed to listen on ${address}: ${reason}`, { cause: error });
}
