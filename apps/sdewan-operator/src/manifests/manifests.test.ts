import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "@kubewright/cli";
import { startControlPlane } from "@kubewright/controller-manager";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { group } from "../api/group.ts";
import { operatorFlags } from "../cli/operator-flags.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { consoleSettings } from "../operator/console-settings.ts";
import { servingSettings } from "../operator/serving.ts";
import { webhookConfiguration, webhookService } from "../webhooks/webhooks.ts";

const needs = { meta: { needs: "kubectl on the PATH" } };

const operator = fileURLToPath(new URL("../..", import.meta.url));
const config = (name: string): string => join(operator, "config", name);
const rulesIn = (file: string): { apiGroups: string[]; resources: string[]; verbs: string[] }[] =>
  parseAllDocuments(readFileSync(join(config("rbac"), file), "utf8"))[0]?.toJS().rules;
const kubectl = "kubectl";
const hasKubectl = spawnSync(kubectl, ["version", "--client"]).status === 0;

/** Permissions that are declared but that the recording test does not use, such as reading roles for the webhooks. */
const unobserved = [
  ...["patch", "get", "list"].map((verb) => `${verb} cnfstatuses.batch.sdewan.akraino.org`),
  ...["get", "list", "create", "patch", "delete"].map((verb) => `${verb} secrets`),
  "patch cniinterfaces.batch.sdewan.akraino.org",
  ...["roles", "clusterroles", "rolebindings", "clusterrolebindings"].flatMap((resource) =>
    ["get", "list", "watch"].map((verb) => `${verb} ${resource}.rbac.authorization.k8s.io`),
  ),
];

describe("the manifests", () => {
  it.each([
    ["generate", unobserved],
    ["generate helm", []],
  ])(
    "are the output of `kubewright %s`",
    async (command, untried) => {
      const written: string[] = [];
      const write = (text: string): void => void written.push(text);
      const io = { cwd: operator, env: process.env, out: write, err: write };
      expect(await main([...command.split(" "), "--check"], io)).toBe(0);
      const printed = written.join("").trimEnd().split("\n").filter(Boolean);
      const hint = "is declared, but no recorded test uses it; remove .needs, or add a test and record again";
      expect(printed.sort()).toEqual(untried.map((one) => `${one} ${hint}`).sort());
    },
    120_000,
  );

  it("list all samples", () => {
    const { resources } = parse(readFileSync(join(operator, "samples", "kustomization.yaml"), "utf8"));
    const names = globSync("**/*.yaml", { cwd: join(operator, "samples") }).map((name) => name.replaceAll("\\", "/"));
    expect(resources).toEqual(names.filter((name) => name !== "kustomization.yaml").sort());
  });

  it("give the operator access to each of its kinds, and to nothing else in their group", () => {
    const allowed = new Map<string, string[]>();
    for (const { apiGroups, resources, verbs } of rulesIn("role.yaml"))
      if (apiGroups.includes(group))
        for (const resource of resources) allowed.set(resource, [...(allowed.get(resource) ?? []), ...verbs].sort());
    const usual = ["get", "list", "patch", "watch"];
    const more: Readonly<Record<string, readonly string[]>> = {
      cnfnats: ["create", "delete", ...usual],
      cnfroutes: ["create", "delete", ...usual],
      cnfstatuses: ["create", ...usual],
    };
    expect(Object.fromEntries(allowed)).toEqual(
      Object.fromEntries(
        apiKinds.flatMap(({ plural }) => [
          [plural, more[plural] ?? usual],
          // CNFStatus has no controller, so it owns nothing.
          ...(plural === "cnfstatuses"
            ? [[`${plural}/status`, ["patch"]]]
            : [
                [`${plural}/status`, ["get", "patch", "update"]],
                [`${plural}/finalizers`, ["update"]],
              ]),
        ]),
      ),
    );
  });

  it("let viewers of a namespace see all kinds except those that contain keys", () => {
    const aggregates = "rbac.authorization.k8s.io/aggregate-to-";
    const countIn = (role: string): string[] =>
      readdirSync(config("rbac"))
        .map((name) => parseAllDocuments(readFileSync(join(config("rbac"), name), "utf8"))[0]?.toJS() as Rendered)
        .filter(({ metadata }) => metadata?.labels?.[`${aggregates}${role}`] === "true")
        .flatMap(({ rules = [] }) => rules[0]?.resources ?? [])
        .sort();
    const plurals = apiKinds.map(({ plural }) => plural).sort();
    expect(countIn("view")).toEqual(plurals.filter((plural) => !["ipsechosts", "ipsecsites"].includes(plural)));
    expect(countIn("edit")).toEqual(plurals);
    expect(countIn("admin")).toEqual(plurals);
  });

  it.skipIf(!hasKubectl)("can be applied to a cluster twice", { ...needs, timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-config-"));
    const kubeconfigOut = join(folder, "kubeconfig");
    await using _plane = await startControlPlane({ kubeconfigOut });
    const apply = async (): Promise<string> => {
      const args = ["--kubeconfig", kubeconfigOut, "apply", "-k", config("default")];
      const child = spawn(kubectl, args, { env: { ...process.env, HOME: folder } });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString("utf8");
        });
      await new Promise((resolve) => child.on("close", resolve));
      return output;
    };
    try {
      const created = (await apply()).trim().split("\n");
      expect(created.filter((line) => !line.endsWith(" created"))).toEqual([]);
      expect(created).toContain("deployment.apps/sdewan-controller-manager created");
      expect(created.filter((line) => line.startsWith("customresourcedefinition."))).toHaveLength(apiKinds.length);
      const again = (await apply()).trim().split("\n");
      // For kubectl, replacing a whole selector is a patch even if nothing changes.
      const changed = again.filter((line) => !line.endsWith(" unchanged") && !line.startsWith("poddisruptionbudget."));
      expect(changed).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const rendered = (name: string): Rendered[] => renderedIn(config(name));
  const renderedIn = (folder: string): Rendered[] => {
    const { stdout, stderr } = spawnSync(kubectl, ["kustomize", folder], { encoding: "utf8" });
    expect(stderr).toBe("");
    return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
  };
  const only = (objects: readonly Rendered[], kind: string): Rendered => {
    const [object, ...others] = objects.filter((each) => each.kind === kind);
    if (!object || others.length > 0) throw new Error(`want one ${kind}`);
    return object;
  };
  const argsOf = (objects: readonly Rendered[]): readonly string[] =>
    only(objects, "Deployment").spec?.template?.spec.containers[0]?.args ?? [];

  it.skipIf(!hasKubectl)("direct the webhooks to the Service, and exempt the operator's own Deployment", needs, () => {
    const objects = rendered("default");
    const { metadata, webhooks = [] } = only(objects, "ValidatingWebhookConfiguration");
    expect(metadata.name).toBe(webhookConfiguration);
    const services = objects.filter(({ kind }) => kind === "Service").map(({ metadata: { name } }) => name);
    expect(services).toContain(webhookService);
    expect(webhooks.map(({ clientConfig }) => clientConfig.service)).toEqual(
      ["/validate-sdewan-bucket-permission", "/validate-label", "/validate-deployment-label"].map((path) => ({
        namespace: "sdewan-system",
        name: webhookService,
        path,
      })),
    );
    expect(webhooks[2]?.namespaceSelector?.matchExpressions[0]?.values).toContain("sdewan-system");
    const secrets = objects.filter(({ kind }) => kind === "Secret").map(({ metadata: { name } }) => name);
    expect(argsOf(objects)).toContain(`--webhook-cert-secret=sdewan-system/${secrets[0]}`);
    const role = objects.find(({ kind, metadata: { name } }) => kind === "Role" && name === "sdewan-manager-role");
    expect(role?.rules?.flatMap(({ resourceNames }) => (resourceNames ? [resourceNames] : []))).toEqual([secrets]);
    expect(() => servingSettings(operatorFlags(argsOf(objects)))).not.toThrow();
  });

  it.skipIf(!hasKubectl)(
    "let the operator read Secrets only in the listed namespaces of CNFs, if there is a list",
    needs,
    () => {
      const objects = rendered("listed");
      const bindings = objects.filter((each) => each.roleRef?.name === "sdewan-secret-reader-role");
      expect(bindings.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([["RoleBinding", "cnfs"]]);
      expect(operatorFlags(argsOf(objects)).cnfNamespaces).toBe("cnfs");
      for (const { rules = [] } of objects.filter(
        ({ kind, metadata }) => kind === "ClusterRole" && metadata.name !== "sdewan-secret-reader-role",
      ))
        expect(rules.flatMap(({ resources = [] }) => resources)).not.toContain("secrets");
    },
  );

  it.skipIf(!hasKubectl)(
    "have an optional console, with an account that sees all kinds except those that contain keys",
    needs,
    () => {
      expect(argsOf(rendered("default")).join()).not.toContain("console");
      const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-console-"));
      const overlay = {
        resources: [relative(folder, config("default"))],
        components: [relative(folder, config("console"))],
      };
      try {
        writeFileSync(join(folder, "kustomization.yaml"), JSON.stringify(overlay));
        const objects = renderedIn(folder);
        const flags = operatorFlags(argsOf(objects));
        const shown = consoleSettings(flags, servingSettings(flags).metricsTls);
        expect(shown).toEqual({ bindAddress: "127.0.0.1:8090" });
        const ports = only(objects, "Deployment").spec?.template?.spec.containers[0]?.ports ?? [];
        expect(ports.find(({ name }) => name === "console")?.containerPort).toBe(8090);
        const plurals = apiKinds
          .map(({ plural }) => plural)
          .filter((each) => !["ipsechosts", "ipsecsites"].includes(each))
          .sort();
        for (const [name, path, kinds] of [
          ["sdewan-console-viewer", ["get"], ["get", "list"]],
          ["sdewan-console-editor", ["get", "post"], ["get", "list", "update"]],
        ] as const) {
          const role = objects.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === name);
          expect(role?.rules).toEqual([
            { nonResourceURLs: ["/debug/kubewright/*"], verbs: path },
            { apiGroups: ["batch.sdewan.akraino.org"], resources: plurals, verbs: kinds },
            { apiGroups: [""], resources: ["events"], verbs: ["list"] },
          ]);
        }
        const bound = objects.map(({ roleRef }) => roleRef?.name);
        expect(bound).toContain("sdewan-console-viewer");
        expect(bound).not.toContain("sdewan-console-editor");
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it.skipIf(!hasKubectl)("optionally use certificates from cert-manager", needs, () => {
    const objects = rendered("certmanager");
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
    const certificate = only(objects, "Certificate");
    const volume = only(objects, "Deployment").spec?.template?.spec.volumes?.[0];
    expect(volume?.secret.secretName).toBe(certificate.spec?.secretName);
    const { metadata } = only(objects, "ValidatingWebhookConfiguration");
    expect(metadata.annotations?.["cert-manager.io/inject-ca-from"]).toBe(`sdewan-system/${certificate.metadata.name}`);
    expect(certificate.spec?.dnsNames).toContain(`${webhookService}.sdewan-system.svc`);
    const { webhooks, metricsTls } = servingSettings(operatorFlags(argsOf(objects)));
    const dir = only(objects, "Deployment").spec?.template?.spec.containers[0]?.volumeMounts?.[0]?.mountPath;
    expect([webhooks?.certificates, metricsTls]).toEqual([{ dir }, { dir }]);
  });
});

/** The fields of rendered objects that the tests check. */
interface Rendered {
  readonly kind: string;
  readonly metadata: {
    name: string;
    namespace?: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  readonly roleRef?: { name: string };
  readonly rules?: { resources?: string[]; resourceNames?: string[] }[];
  readonly webhooks?: {
    clientConfig: { service: object };
    namespaceSelector?: { matchExpressions: { values: string[] }[] };
  }[];
  readonly spec?: {
    secretName?: string;
    dnsNames?: string[];
    template?: {
      spec: {
        containers: {
          args?: string[];
          ports?: { name: string; containerPort: number }[];
          volumeMounts?: { mountPath: string }[];
        }[];
        volumes?: { secret: { secretName: string } }[];
      };
    };
  };
}
