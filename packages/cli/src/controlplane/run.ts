import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quote } from "@kubewright/apimachinery";
import { untilAborted } from "@kubewright/clock";
import type { ApiServerOptions } from "@kubewright/kube-apiserver";
import type { FlagValues } from "../flags/flag-values.ts";
import { checkFeatureGates, effectsOf } from "../kube-apiserver/check-feature-gates.ts";
import { OptionErrors } from "../kube-apiserver/command-failed.ts";
import { type CommandLine, readCommandLine } from "../kube-apiserver/command-line.ts";
import { advertised } from "../kube-apiserver/host-address.ts";
import { optionErrors } from "../kube-apiserver/option-errors.ts";
import { serverOptions } from "../kube-apiserver/server-flags.ts";
import { certificateFiles } from "../kube-apiserver/serving-certificate.ts";
import { etcdStorage } from "../kube-apiserver/storage-flags.ts";
import { withoutAnonymity } from "../kube-apiserver/without-anonymity.ts";
import type { Io } from "../process/io.ts";
import { controlPlaneFlags, flagNotes, logLevels } from "./flag-table.ts";

const commandLine: CommandLine = {
  program: "kubewright controlplane",
  table: controlPlaneFlags,
  intro: `Runs a control plane for development: an API server, controllers and two simulated nodes.

Except for the control plane flags, all flags behave as in kube-apiserver.`,
  note: ({ name }) => flagNotes[name] ?? "",
};

/**
 * Runs a control plane until the signal aborts. Prints one line on standard output when it is ready.
 *
 * @returns the exit code
 */
export async function runControlPlane(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const values = readCommandLine(commandLine, argv, io);
  if (typeof values === "number") return values;
  try {
    await serve(values, io, signal);
    return 0;
  } catch (error) {
    io.err(`kubewright: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

async function serve(values: FlagValues, io: Io, signal: AbortSignal): Promise<void> {
  const errors = [
    ...optionErrors(values, {
      storageBackends: ["memory", "journal", "etcd3"],
      allowsFreePort: true,
      demandsEtcdAndKeys: false,
    }),
    ...storageErrors(values),
    ...featureErrors(values),
  ];
  if (errors.length > 0) throw new OptionErrors(errors);
  const asked: ApiServerOptions = {
    ...advertised(values.text("bind-address")),
    ...serverOptions(values),
    featureGates: effectsOf(checkFeatureGates(values.texts("feature-gates"))).featureGates,
    ...authorization(values),
    ...keptFiles(values),
  };
  const options = withoutAnonymity(asked, (text) => io.err(`kubewright: ${text}\n`));
  const [{ processImage, startControlPlane, stockNodeImage }, { createLogger }] = await Promise.all([
    import("@kubewright/controller-manager"),
    import("@kubewright/log"),
  ]);
  const kubeconfig = kubeconfigPath(values);
  const runsProcesses = values.boolean("process-images");
  try {
    await using plane = await startControlPlane({
      host: values.text("bind-address"),
      port: values.number("secure-port"),
      kubeconfigOut: kubeconfig.path,
      nodes: 2,
      images: runsProcesses ? { [stockNodeImage]: processImage() } : {},
      logger: createLogger({ level: logLevels.find((level) => level === values.text("log-level")) }),
      apiServer: options,
    });
    const processes = runsProcesses ? `; pods of ${stockNodeImage} run as processes on this machine` : "";
    io.out(`control plane ready at ${plane.url}${processes}; kubeconfig: ${kubeconfig.path}\n`);
    await untilAborted(signal);
  } finally {
    kubeconfig.remove();
  }
}

function storageErrors(values: FlagValues): string[] {
  const backend = values.text("storage-backend");
  const hasEtcd = values.list("etcd-servers").length > 0;
  return [
    ...(backend === "journal" && values.text("data-dir") === ""
      ? ["--data-dir must be specified with --storage-backend journal"]
      : []),
    ...(backend === "etcd3" && !hasEtcd ? ["--etcd-servers must be specified"] : []),
    ...(backend !== "etcd3" && hasEtcd ? ["--etcd-servers requires --storage-backend etcd3"] : []),
  ];
}

/** Returns errors for feature gates that this server cannot switch. */
function featureErrors(values: FlagValues): string[] {
  return effectsOf(checkFeatureGates(values.texts("feature-gates"))).withoutEffect.map(
    ([name, isOn]) => `--feature-gates ${quote(`${name}=${isOn}`)}: kubewright does not switch this feature`,
  );
}

/** Returns the authorization options. The default modes are `Node,RBAC`. */
function authorization(values: FlagValues): Pick<ApiServerOptions, "authorization"> {
  const { authorization: given } = serverOptions(values);
  if (values.has("authorization-config")) return { ...(given ? { authorization: given } : {}) };
  return { authorization: { authorizationModes: ["Node", "RBAC"], ...given } };
}

function keptFiles(values: FlagValues): Pick<ApiServerOptions, "storage" | "identityDirectory" | "serving"> {
  const dataDir = values.text("data-dir");
  const backend = values.text("storage-backend");
  const serving = certificateFiles(values);
  const isNew = dataDir !== "" && mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined;
  if (isNew) writeFileSync(join(dataDir, ".gitignore"), "*\n"); // the folder contains private keys
  return {
    ...(dataDir === "" ? {} : { identityDirectory: join(dataDir, "pki") }),
    ...(backend === "journal" ? { storage: { type: "journal", directory: join(dataDir, "journal") } } : {}),
    ...(backend === "etcd3" ? { storage: etcdStorage(values) } : {}),
    ...(serving ? { serving } : {}),
  };
}

interface KubeconfigPath {
  readonly path: string;
  /** Removes the temporary folder, if one was created. */
  readonly remove: () => void;
}

function kubeconfigPath(values: FlagValues): KubeconfigPath {
  const asked = values.text("kubeconfig-out");
  if (asked !== "") return { path: asked, remove: () => {} };
  const dataDir = values.text("data-dir");
  if (dataDir !== "") return { path: join(dataDir, "kubeconfig"), remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  return { path: join(folder, "kubeconfig"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
