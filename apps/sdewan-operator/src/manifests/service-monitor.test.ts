import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { operatorFlags } from "../cli/operator-flags.ts";
import { servingSettings } from "../operator/serving.ts";

const needs = { meta: { needs: "kubectl on the PATH" } };

const config = fileURLToPath(new URL("../../config/", import.meta.url));
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.info("kubectl is missing, so the component config/monitoring is not rendered");

interface TlsConfig {
  readonly insecureSkipVerify?: boolean;
  readonly ca?: { secret: { name: string; key: string } };
  readonly serverName?: string;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Record<string, string> };
    readonly ports?: readonly { name: string; targetPort: number }[];
    readonly endpoints?: readonly { port: string; scheme?: string; tlsConfig?: TlsConfig }[];
    readonly secretName?: string;
    readonly dnsNames?: readonly string[];
    readonly template?: {
      spec: { containers: { args: string[]; ports: { name: string; containerPort: number }[] }[] };
    };
  };
}

const documents = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS() as Manifest);
const filesOf = (folder: string): Manifest[] =>
  readdirSync(join(config, folder))
    .filter((name) => name !== "kustomization.yaml" && name !== "rules_test.yaml")
    .flatMap((name) => documents(readFileSync(join(config, folder, name), "utf8")));
const only = (objects: readonly Manifest[], kind: string): Manifest =>
  objects.find((object) => object.kind === kind) ?? expect.unreachable(`no ${kind}`);

/** Returns the single endpoint of the ServiceMonitor, followed through Services to the flags of the program. */
function endpointOf(objects: readonly Manifest[]) {
  const [endpoint, ...more] = only(objects, "ServiceMonitor").spec.endpoints ?? [];
  expect(more).toEqual([]);
  const selected = Object.entries(only(objects, "ServiceMonitor").spec.selector?.matchLabels ?? {});
  const ports = objects
    .filter(({ kind, metadata }) => kind === "Service" && selected.every(([key, is]) => metadata.labels?.[key] === is))
    .flatMap(({ metadata, spec }) => (spec.ports ?? []).map((port) => ({ service: metadata.name, ...port })))
    .filter(({ name }) => name === endpoint?.port);
  expect(ports).toHaveLength(1);
  const [container] = only(objects, "Deployment").spec.template?.spec.containers ?? [];
  const flags = operatorFlags(container?.args ?? []);
  const listening = container?.ports.filter(({ containerPort }) => containerPort === ports[0]?.targetPort);
  expect(listening?.map(({ containerPort }) => `:${containerPort}`)).toEqual([flags.metricsBindAddress]);
  return { endpoint, service: ports[0]?.service, tls: servingSettings(flags).metricsTls };
}

describe("the ServiceMonitor", () => {
  it("scrapes by HTTPS the port on which the operator serves metrics", () => {
    const { endpoint, tls } = endpointOf(["prometheus", "manager", "default", "webhook"].flatMap(filesOf));
    expect(tls).toBeDefined();
    expect(endpoint).toMatchObject({ scheme: "https", tlsConfig: { insecureSkipVerify: true } });
  });

  describe.skipIf(!hasKubectl)("in the output of kustomize", needs, () => {
    const place = mkdtempSync(join(tmpdir(), "sdewan-operator-prometheus-"));
    cpSync(config, place, { recursive: true });
    appendFileSync(join(place, "default", "kustomization.yaml"), "components:\n  - ../monitoring\n");
    afterAll(() => rmSync(place, { recursive: true }));
    const rendered = (folder: string): Manifest[] => {
      const { stdout, stderr } = spawnSync("kubectl", ["kustomize", join(place, folder)], { encoding: "utf8" });
      expect(stderr).toBe("");
      return documents(stdout);
    };

    it("is the same", () => {
      const { endpoint } = endpointOf(rendered("default"));
      expect(endpoint?.tlsConfig).toEqual({ insecureSkipVerify: true });
    });

    it("verifies the certificate if cert-manager issues it", () => {
      const objects = rendered("certmanager");
      const { endpoint, service } = endpointOf(objects);
      const { spec, metadata } = only(objects, "Certificate");
      expect(endpoint?.tlsConfig).toEqual({
        ca: { secret: { name: spec.secretName, key: "ca.crt" } },
        serverName: `${service}.${metadata.namespace}.svc`,
      });
      expect(spec.dnsNames).toContain(endpoint?.tlsConfig?.serverName);
    });
  });
});
