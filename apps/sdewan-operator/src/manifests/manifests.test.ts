import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startControlPlane } from "@kubewright/controller-manager";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { operatorFlags } from "../cli/operator-flags.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { servingSettings } from "../operator/serving.ts";
import { webhookConfiguration, webhookService } from "../webhooks/webhooks.ts";
import { generatedFolders, manifests } from "./manifests.ts";

const operator = fileURLToPath(new URL("../..", import.meta.url));
const config = (name: string): string => join(operator, "config", name);
const kubectl = "kubectl";
const hasKubectl = spawnSync(kubectl, ["version", "--client"]).status === 0;

describe("the manifests", () => {
  it.each(manifests(operator))("are as `npm run manifests` writes them: $path", ({ path, text }) => {
    expect(readFileSync(join(operator, path), "utf8")).toBe(text);
  });

  it.each(generatedFolders)("are alone in %s", (folder) => {
    const generated = manifests(operator).map(({ path }) => path);
    const there = readdirSync(join(operator, folder)).map((name) => `${folder}/${name}`);
    expect(there.filter((path) => !generated.includes(path))).toEqual([]);
  });

  it("let the operator have each of its kinds, and no other thing of their group", () => {
    const plurals = apiKinds.map(({ plural }) => plural).sort();
    const { rules } = parse(readFileSync(config("rbac/role.yaml"), "utf8")) as {
      rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
    };
    const ours = rules.filter(({ apiGroups }) => apiGroups.includes("batch.sdewan.akraino.org"));
    expect(ours.map(({ resources, verbs }) => [resources, verbs])).toEqual([
      [plurals, ["get", "list", "watch", "patch", "update"]],
      [
        ["cnfnats", "cnfroutes"],
        ["create", "delete"],
      ],
      [["cnfstatuses"], ["create"]],
      [plurals.map((plural) => `${plural}/status`), ["get", "patch", "update"]],
    ]);
  });

  it.skipIf(!hasKubectl)("are taken by a cluster, twice", async () => {
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
      // A selector that is replaced as a whole is a patch to kubectl, even one that changes nothing.
      const changed = again.filter((line) => !line.endsWith(" unchanged") && !line.startsWith("poddisruptionbudget."));
      expect(changed).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const rendered = (name: string): Rendered[] => {
    const { stdout, stderr } = spawnSync(kubectl, ["kustomize", config(name)], { encoding: "utf8" });
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

  it.skipIf(!hasKubectl)(
    "have the webhooks asked through the Service, and none of the operator's own Deployment",
    () => {
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
      const role = objects.find(({ kind, metadata: { name } }) => kind === "Role" && name.includes("webhook"));
      expect(role?.rules?.[0]?.resourceNames).toEqual(secrets);
      expect(() => servingSettings(operatorFlags(argsOf(objects)))).not.toThrow();
    },
  );

  it.skipIf(!hasKubectl)("let the operator see Secrets only where CNFs may be, if these are listed", () => {
    const objects = rendered("listed");
    const bindings = objects.filter((each) => each.roleRef?.name === "sdewan-secret-reader-role");
    expect(bindings.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([["RoleBinding", "cnfs"]]);
    expect(operatorFlags(argsOf(objects)).cnfNamespaces).toBe("cnfs");
    for (const { rules = [] } of objects.filter(
      ({ kind, metadata }) => kind === "ClusterRole" && metadata.name !== "sdewan-secret-reader-role",
    ))
      expect(rules.flatMap(({ resources = [] }) => resources)).not.toContain("secrets");
  });

  it.skipIf(!hasKubectl)("take certificates from cert-manager where that is wanted", () => {
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

/** What is looked at in rendered objects. */
interface Rendered {
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
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
        containers: { args?: string[]; volumeMounts?: { mountPath: string }[] }[];
        volumes?: { secret: { secretName: string } }[];
      };
    };
  };
}
