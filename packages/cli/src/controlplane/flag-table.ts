import type { LogLevel } from "@kubewright/log";
import { type FlagSpec, type FlagTable, parseFlagTable } from "../flags/flag-table.ts";
import { kubeApiServerFlags } from "../kube-apiserver/flag-table.ts";
import { serverFlags } from "../kube-apiserver/server-flags.ts";
import { etcdFlags } from "../kube-apiserver/storage-flags.ts";

/** Log levels, as in programs. */
export const logLevels = [
  "trace",
  "debug",
  "info",
  "warn",
  "error",
  "fatal",
  "silent",
] as const satisfies readonly LogLevel[];

/** Flags that kube-apiserver lacks, or whose default differs. */
const ours = parseFlagTable(`
Control plane:
  bind-address ip 127.0.0.1
  data-dir string
  kubeconfig-out string
  log-level choice(${logLevels.join("|")}) warn
  process-images bool
  secure-port int 0
  storage-backend choice(memory|journal|etcd3) memory
  authorization-mode strings Node,RBAC
`);

const shared = [
  ...serverFlags,
  ...etcdFlags,
  "tls-cert-file",
  "tls-private-key-file",
  "feature-gates",
  "help",
  "version",
];

/** Flags of `kubewright controlplane`: its own, and the supported flags of kube-apiserver. */
export const controlPlaneFlags: FlagTable = new Map([
  ...ours,
  ...shared.filter((name) => !ours.has(name)).map((name) => [name, kubeApiServerFlag(name)] as const),
]);

function kubeApiServerFlag(name: string): FlagSpec {
  const spec = kubeApiServerFlags.get(name);
  if (!spec) throw new Error(`kube-apiserver has no flag --${name}`);
  return spec;
}
