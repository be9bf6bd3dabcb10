import { kubernetesVersion } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { recordedIo } from "../testing/recorded-io.ts";
import { runKubeApiServer } from "./run.ts";

const stopped = AbortSignal.abort();
const required = [
  "--etcd-servers=http://127.0.0.1:1",
  "--service-account-issuer=https://x",
  "--service-account-key-file=sa.pub",
  "--service-account-signing-key-file=sa.key",
];

async function run(...argv: string[]) {
  const io = recordedIo();
  const code = await runKubeApiServer(argv, io, stopped);
  return { code, ...io.written, failure: /err="(.*)"\n$/.exec(io.written.err)?.[1]?.replaceAll('\\"', '"') };
}

it("prints its version", async () => {
  expect(await run("--version")).toMatchObject({ code: 0, out: `Kubernetes ${kubernetesVersion}\n` });
  expect((await run("--version=raw")).out).toMatch(/^version\.Info\{Major:"1", Minor:"37".*GitVersion:"v1\.37\.2"/);
});

it("lists its flags, one per line", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toMatch(/^ +--secure-port int/m);
  expect(out).toMatch(/^Flags that are accepted, but have no effect:\n\n( +--[a-z0-9-]+\n)*? +--goaway-chance$/m);
  expect(out).not.toContain("--insecure-port");
});

it("refuses errors with exit code 1 and one line", async () => {
  expect(await run("--nosuch")).toMatchObject({ code: 1, err: "Error: unknown flag: --nosuch\n" });
  expect((await run("foo", "bar")).err).toBe(
    'Error: "kube-apiserver" does not take any arguments, got ["foo" "bar"]\n',
  );
});

it("requires the same flags as kube-apiserver", async () => {
  expect((await run()).failure).toBe(
    "[--etcd-servers must be specified, service-account-issuer is a required flag, either `--service-account-key-file` or `--service-account-signing-endpoint` must be set, --service-account-signing-key-file and --service-account-issuer are required flags]",
  );
});

// messages of kube-apiserver
it.each([
  ["--authorization-mode=Foo", 'authorization-mode "Foo" is not a valid mode'],
  ["--authorization-mode=RBAC,RBAC", 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once'],
  ["--authorization-mode=ABAC", "authorization-mode ABAC's authorization policy file not passed"],
  ["--authorization-mode=Webhook", "authorization-mode Webhook's authorization config file not passed"],
  ["--enable-admission-plugins=Foo", 'enable-admission-plugins plugin "Foo" is unknown'],
  ["--disable-admission-plugins=Foo", 'disable-admission-plugins plugin "Foo" is unknown'],
  [
    "--storage-backend=foo",
    "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
  ],
  ["--secure-port=0", "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0"],
  ["--secure-port=70000", "--secure-port 70000 must be between 1 and 65535, inclusive. It cannot be turned off with 0"],
  ["--service-cluster-ip-range=foo", "service-cluster-ip-range[0] is not a valid cidr"],
  [
    "--oidc-issuer-url=https://foo",
    "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
  ],
  ["--request-timeout=-1s", "--request-timeout can not be negative value"],
  ["--runtime-config=foo", "runtime-config invalid key foo"],
  ["--runtime-config=api/all=x", "invalid value api/all=x"],
  ["--feature-gates=Foo=true", "unrecognized feature gate: Foo"],
  ["--feature-gates=AllBeta", "missing bool value for AllBeta"],
  ["--feature-gates=a:b:c=d", "component not registered: a"],
])("refuses %s", async (flag, failure) => {
  expect(await run(...required, flag)).toMatchObject({ code: 1, failure });
});

it("refuses negative size, age or number of audit logs", async () => {
  for (const flag of ["--audit-log-maxage", "--audit-log-maxsize", "--audit-log-maxbackup"])
    expect(await run(...required, "--audit-log-path=audit.log", `${flag}=-1`)).toMatchObject({
      code: 1,
      failure: `${flag} -1 can't be a negative number`,
    });
});

it("names all flags without effect in one warning", async () => {
  const { err } = await run(
    ...required,
    "--goaway-chance=0.1",
    "--profiling",
    "--feature-gates=AllAlpha=true",
    "--audit-log-maxbackup=3",
    "-v2",
    "--secure-port=0",
  );
  expect(err).toMatch(/^W.*\] accepted, but have no effect here: --goaway-chance, --profiling, --v$/m);
  expect(err).toMatch(
    /^W.*--feature-gates AllAlpha=true is accepted, but has no effect here, except on ShardedListAndWatch$/m,
  );
});
