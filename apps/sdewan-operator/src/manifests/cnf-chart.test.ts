import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { accountSecretLabel, certSecretLabel, networksAnnotation, purposeLabel } from "../api/group.ts";
import { attachedNetworks } from "../cnf/networks.ts";

const needs = { meta: { needs: "helm: npm run helm -w sdewan-operator builds it, with Go" } };

const operator = fileURLToPath(new URL("../../", import.meta.url));
const chart = join(operator, "charts", "cnf");
const read = (...path: string[]): string => readFileSync(join(...path), "utf8");

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const helm = ["helm", join(cache, "kubewright", "helm", "helm")].find(
  (program) => spawnSync(program, ["version"]).status === 0,
);
if (!helm)
  console.info("helm is missing, so the CNF's chart is not rendered; build it with `npm run helm`, which needs Go");

interface Rendered {
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: {
      readonly metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      readonly spec: {
        containers: {
          volumeMounts: { name: string; mountPath: string }[];
          securityContext: object;
          command: string[];
        }[];
        volumes: { name: string; secret?: { secretName: string } }[];
      };
    };
  };
}

describe("the CNF's chart", () => {
  const templates = readdirSync(join(chart, "templates")).map((name) => read(chart, "templates", name));

  it("uses exactly the values in values.yaml", () => {
    const values: Record<string, unknown> = parse(read(chart, "values.yaml"));
    const has = (path: readonly string[]): boolean =>
      path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values) !== undefined;
    const used = templates.flatMap((text) =>
      [...text.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = ""]) => path),
    );
    expect(used.filter((path) => !has(path.split(".")))).toEqual([]);
    const tops = new Set(used.map((path) => path.split(".")[0]));
    expect(Object.keys(values).filter((name) => !tops.has(name))).toEqual([]);
  });

  it("has the labels and the annotation that the operator uses", () => {
    for (const name of [purposeLabel, accountSecretLabel, certSecretLabel, networksAnnotation])
      expect(
        templates.some((text) => text.includes(`${name}: `)),
        name,
      ).toBe(true);
  });

  it("starts with a script that a shell can parse", () => {
    const { status, stderr } = spawnSync("sh", ["-n", join(chart, "files", "entrypoint.sh")], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  describe.skipIf(!helm)("rendered by helm", needs, () => {
    const run = (...args: string[]) => spawnSync(helm ?? "", args, { encoding: "utf8" });
    const render = (...settings: string[]): Rendered[] => {
      const { stdout, stderr, status } = run("template", "x", chart, ...settings.flatMap((each) => ["--set", each]));
      expect([status, stderr]).toEqual([0, ""]);
      return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
    };
    const named = ({ kind, metadata }: Rendered): string => `${kind} ${metadata.namespace}/${metadata.name}`;

    it("has no helm lint errors", () => {
      const { status, stdout } = run("lint", "--strict", chart);
      expect([status, stdout]).toEqual([0, expect.stringContaining("0 chart(s) failed")]);
    });

    it("is a CNF like the reference's, with the same labels, networks and capabilities", () => {
      const objects = render();
      expect(objects.map(named)).toEqual(["ConfigMap default/sdewan-safe-sh", "Deployment default/sdewan-safe"]);
      const ours = objects[1];
      const theirs: Rendered = parse(read(operator, "testdata", "reference-e2e", "cnf-deployment.yaml"));
      const [pod, original] = [ours?.spec?.template, theirs.spec?.template];
      expect(ours?.metadata.labels).toEqual(theirs.metadata.labels);
      expect(pod?.metadata.labels).toEqual(original?.metadata.labels);
      expect(attachedNetworks(pod?.metadata.annotations)).toEqual(attachedNetworks(original?.metadata.annotations));
      expect(pod?.spec.containers[0]?.securityContext).toEqual(original?.spec.containers[0]?.securityContext);
      expect(pod?.spec.containers[0]?.command).toEqual(original?.spec.containers[0]?.command);
      const secrets = (spec: typeof pod): unknown =>
        spec?.spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []).sort();
      expect(secrets(pod)).toEqual(secrets(original));
      expect(objects[0]?.data?.["entrypoint.sh"]).toBe(read(chart, "files", "entrypoint.sh"));
    });

    it("creates the Secret of a given password, and needs no certificate", () => {
      const objects = render("metadata.passwd=shown", "metadata.cert=");
      expect(objects.map(({ kind }) => kind)).toEqual(["Secret", "ConfigMap", "Deployment"]);
      expect(objects[2]?.spec?.template?.metadata.labels).not.toHaveProperty(certSecretLabel);
    });

    it("requests the certificate of config/cnf-certificate from cert-manager, in its own namespace", () => {
      const made = render("certificate.create=true").filter(({ kind }) => /Issuer|Certificate/.test(kind));
      const folder = join(operator, "config", "cnf-certificate");
      const kept = ["authority.yaml", "certificate.yaml"]
        .flatMap((name) => parseAllDocuments(read(folder, name)).map((document) => document.toJS() as Rendered))
        // The issuer of the root is a ClusterIssuer there, and an Issuer here, because the charts of two CNFs do not share it.
        .map((object): Rendered => JSON.parse(JSON.stringify(object).replaceAll("ClusterIssuer", "Issuer")))
        .map((object) => ({ ...object, metadata: { ...object.metadata, namespace: "default" } }));
      const byName = (objects: readonly Rendered[]) => objects.toSorted((a, b) => (named(a) < named(b) ? -1 : 1));
      expect(byName(made)).toEqual(byName(kept));
      const elsewhere = render("certificate.create=true", "metadata.namespace=edge", "certificate.issuerRef.name=ours");
      expect(elsewhere.filter(({ kind }) => /Issuer|Certificate/.test(kind))).toMatchObject([
        {
          metadata: { namespace: "edge" },
          spec: { dnsNames: ["*.edge.pod.cluster.local"], issuerRef: { name: "ours" } },
        },
      ]);
    });

    it("refuses values that would run as commands in the script", () => {
      const { status, stderr } = run("template", "x", chart, "--set", "publicIpAddress='; reboot; '");
      expect(status).not.toBe(0);
      expect(stderr).toContain("publicIpAddress");
    });
  });
});
