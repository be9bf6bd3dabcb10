import type { StructuralSchema } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { describe, expect, it } from "vitest";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { metadata, startReconcilers } from "../testing/reconcilers.ts";
import { samples } from "../testing/samples.ts";
import type { CnfKind, CnfView, RuleObject } from "../uci/cnf-kind.ts";
import { ruleKinds } from "./rule-kinds.ts";

const cnf: CnfView = { interfaceOf: () => "net1", addressesOf: async () => ["10.1.0.2"] };

const forShells = ["1.2.3.4;reboot", "$(reboot)", "`id`", "a' b", 'a" b', "a\\", "a|b", "a&b", "a>b", "1 # b"];
const forFiles = ["a\nb", "a\u0000b", "a\rb", "1\nconfig rule"];
/** Returns attacks on a field. Certificates are decoded into separate files, so line breaks in them do no harm. */
const attacksOn = (field: string): readonly string[] => {
  if (field === "spec.pre_shared_key") return forFiles;
  return /_cert$|_ca$/.test(field) ? forShells : [...forShells, ...forFiles];
};

/** Returns the paths of the strings in a schema. */
function pathsOf(
  { type, properties = {}, items }: StructuralSchema,
  path: readonly string[] = [],
): (readonly string[])[] {
  if (type === "string") return [path];
  if (items) return pathsOf(items, [...path, "0"]);
  return Object.entries(properties).flatMap(([name, schema]) => pathsOf(schema, [...path, name]));
}

/** Returns a copy of a value with a string at a path. */
function withText(value: unknown, [first, ...rest]: readonly string[], text: string): unknown {
  if (first === undefined) return text;
  if (first === "0") return [withText(Array.isArray(value) ? value[0] : undefined, rest, text)];
  const fields: Readonly<Record<string, unknown>> = typeof value === "object" && value !== null ? { ...value } : {};
  return { ...fields, [first]: withText(fields[first], rest, text) };
}

const shown = (path: readonly string[]): string => `spec.${path.join(".").replaceAll(/\.0\b/g, "[0]")}`;
const schemaOf = ({ kind }: CnfKind): StructuralSchema =>
  kind.crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {};
const fieldsOf = (kind: CnfKind) =>
  pathsOf(schemaOf(kind)).filter(([first]) => first !== "podSelector" && !first?.endsWith("SecretRef"));
const all = ruleKinds.flatMap((kind: CnfKind) =>
  fieldsOf(kind).map((path) => [kind.kind.kind, shown(path), kind, path] as const),
);

const errorOf = (promise: unknown): Promise<string> =>
  Promise.resolve(promise).then(
    (value) => `sent ${JSON.stringify(value)}`,
    (error: unknown) => String(error),
  );

describe("texts for a CNF", () => {
  it("are part of many fields", () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it.each(all)(
    "of %s: %s is sent only without characters that are special to a shell or a file",
    async (name, field, kind, path) => {
      const sample = samples("edge7").find((each) => each.kind === name);
      const isSecret = kind.secretFields.some((secret) => secret.field === path[0]);
      for (const attack of attacksOn(field)) {
        const object = { ...sample, spec: withText(sample?.spec, path, attack) } as RuleObject;
        const outcome = await errorOf((async () => kind.toUci(object, cnf))());
        if (outcome.startsWith("sent")) expect(outcome, attack).not.toContain(JSON.stringify(attack).slice(1, -1));
        else {
          expect(outcome).toMatch(/^InvalidSpecError: spec\./);
          expect(outcome).toContain(`${field}: `);
          if (isSecret) expect(outcome).not.toContain(attack);
          // The API server refuses the object immediately, unless its message would repeat a secret.
          if (!isSecret)
            expect(() => kind.kind.parse(object)).toThrow(new RegExp(`${field.replaceAll(/[[\].]/g, "\\$&")}: `));
        }
      }
    },
  );

  it.each([
    ["mark", "!0x10/0xff"],
    ["set_mark", "16"],
    ["set_xmark", "0x1/0x3"],
    ["src", "#10.0.0.1"],
    ["src", "vti_10.10.70.39"],
    ["dest", "net1.100"],
    ["extra", "-m conntrack --ctstate NEW,ESTABLISHED"],
    ["src_port", " 80\n"],
  ])("of a NetworkFirewallRule: %s may be %j", async (field, value) => {
    const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === "NetworkFirewallRule");
    const object = NetworkFirewallRule.parse({ metadata, spec: { src: "net1", target: "DROP", [field]: value } });
    expect(await kind?.toUci(object, cnf)).toMatchObject({ [field]: value.trim() });
  });

  it("that are words of a list must be in that list", async () => {
    const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === "FirewallRule");
    const object = { ...FirewallRule.parse({ metadata, spec: {} }), spec: { target: "DROP;reboot" } } as RuleObject;
    expect(await errorOf((async () => kind?.toUci(object, cnf))())).toBe(
      'InvalidSpecError: spec.target: "DROP;reboot" is not one of ACCEPT, REJECT, DROP, MARK, NOTRACK; change it',
    );
  });

  it("have a maximum length", async () => {
    const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === "FirewallRule");
    const object = { ...FirewallRule.parse({ metadata, spec: {} }), spec: { extra: "x".repeat(1_025) } };
    expect(await errorOf((async () => kind?.toUci(object, cnf))())).toBe(
      "InvalidSpecError: spec.extra: the text has more than 1024 characters; shorten it",
    );
    for (const [, field, of, path] of all) {
      const isUsed = !["name", "target"].includes(path[0] ?? "") || path.length > 1;
      if (isUsed)
        expect(() => of.kind.parse({ metadata, spec: withText({}, path, "9".repeat(300_000)) }), field).toThrow(
          `${field}: `,
        );
    }
  });

  it.each(["correct horse", "p'a\"s$s;w\\o`r|d&<>", "0sZm9vYmFy", "ключ", '"in quotes"', "key\n"])(
    "a pre-shared key may be %j",
    async (pre_shared_key) => {
      const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === "IpsecHost");
      const sample = samples("edge7").find((each) => each.kind === "IpsecHost");
      const object = { ...sample, spec: { ...sample?.spec, pre_shared_key } } as RuleObject;
      expect(await kind?.toUci(object, cnf)).toMatchObject({ pre_shared_key: pre_shared_key.trim() });
    },
  );

  it("a pre-shared key has a maximum length, and appears in no message", async () => {
    const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === "IpsecHost");
    const sample = samples("edge7").find((each) => each.kind === "IpsecHost");
    const converted = (pre_shared_key: string) =>
      errorOf((async () => kind?.toUci({ ...sample, spec: { ...sample?.spec, pre_shared_key } } as RuleObject, cnf))());
    expect(await converted("k".repeat(1_024))).toContain("sent");
    expect(await converted("k".repeat(1_025))).toBe(
      "InvalidSpecError: spec.pre_shared_key: the value is not a string on one line without control characters, of at most 1024 characters",
    );
  });

  it("of a certificate may be base64 on several lines, but not a PEM file", async () => {
    const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === "IpsecSite");
    const sample = samples("edge7").find((each) => each.kind === "IpsecSite");
    const converted = (shared_ca: string) =>
      errorOf((async () => kind?.toUci({ ...sample, spec: { ...sample?.spec, shared_ca } } as RuleObject, cnf))());
    expect(await converted("Y2E=\nY2Ey___Y2Ez\n")).toContain("sent");
    expect(await converted("-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----")).toContain(
      'spec.shared_ca: "-----BEGIN CERTIFICATE-----\\nY2E=\\n-----END CERTIFICATE-----" is not base64: encode a PEM file',
    );
  });
});

describe("a stored resource with a text that its CRD now refuses", () => {
  const bad = { src: "net1", target: "MARK" as const, proto: "tcp" as const, set_mark: "1;reboot #" };

  it("reports the field and the allowed values, and is not sent; other resources of its CNF are", async () => {
    const { cluster, reconcile, cnf: fake, reasons } = startReconcilers(["10.0.0.1"]);
    const good = cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } });
    const wrong = cluster.put(NetworkFirewallRule, { metadata, spec: bad });
    await Promise.all([reconcile(wrong), reconcile(good)]);
    const message = 'spec.set_mark: "1;reboot #" is not a mark such as 16, 0x10 or 0x10/0xff; change it';
    expect(cluster.peek(NetworkFirewallRule, "default/a")?.status).toMatchObject({
      state: "Trying to apply",
      message,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason: "InvalidSpec", message }),
      ]),
    });
    expect(cluster.peek(FirewallRule, "default/a")?.status?.state).toBe("In Sync");
    expect(fake("10.0.0.1").requests.filter((request) => request.includes("networkfirewall"))).toEqual([]);
    expect(reasons()).toContain("NetworkFirewallRule a: Refused");
  });

  it("is deleted on request, together with the object that the CNF got while it was valid", async () => {
    const { cluster, reconcile, cnf: fake } = startReconcilers(["10.0.0.1"]);
    const object = cluster.put(NetworkFirewallRule, { metadata, spec: { ...bad, set_mark: "16" } });
    await reconcile(object);
    expect([...(fake("10.0.0.1").collections.get("networkfirewall/v1/rules")?.keys() ?? [])]).toEqual(["a"]);
    const applied = cluster.peek(NetworkFirewallRule, "default/a");
    if (!applied) throw new Error("not there");
    const changed = { ...applied, spec: bad, metadata: { ...applied.metadata, generation: 2 } };
    await reconcile(cluster.put(NetworkFirewallRule, changed));
    const held = cluster.peek(NetworkFirewallRule, "default/a");
    expect(held?.status?.message).toContain("spec.set_mark: ");
    if (!held) throw new Error("not there");
    cluster.put(NetworkFirewallRule, {
      ...held,
      metadata: { ...held.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" },
    });
    await reconcile(object);
    expect(fake("10.0.0.1").requests).toContain("DELETE networkfirewall/v1/rules/a");
    expect(fake("10.0.0.1").collections.get("networkfirewall/v1/rules")?.size).toBe(0);
    expect(cluster.peek(NetworkFirewallRule, "default/a")).toBeUndefined();
  });

  it("can be deleted by anyone who may remove its finalizer, and no message contains its key", async () => {
    const environment = await Environment.start({ crds: [NetworkFirewallRule, IpsecHost] });
    try {
      const client = new Client({ connection: environment.connection("admin") });
      const definition = await client.get(CustomResourceDefinition, NetworkFirewallRule.crd.metadata.name);
      const older = JSON.parse(
        JSON.stringify(definition.spec.versions)
          .replaceAll(/"pattern":"(?:[^"\\]|\\.)*",?/g, "")
          .replaceAll(",}", "}"),
      );
      await client.patch(CustomResourceDefinition, definition, { spec: { versions: older } });
      const stored = { metadata: { ...metadata, finalizers: ["example.org/held"] }, spec: bad };
      await expect
        .poll(() => client.create(NetworkFirewallRule, stored).then(() => "created", String), { timeout: 10_000 })
        .toBe("created");
      await client.patch(CustomResourceDefinition, definition, { spec: { versions: definition.spec.versions } });
      await expect
        .poll(
          () =>
            client
              .create(NetworkFirewallRule, { metadata: { ...metadata, name: "b" }, spec: bad }, { dryRun: true })
              .then(() => "", String),
          { timeout: 10_000 },
        )
        .toContain('spec.set_mark: Invalid value: "1;reboot #"');
      await client.status.patch(NetworkFirewallRule, "default/a", { state: "Trying to apply" });
      await client.delete(NetworkFirewallRule, "default/a");
      await client.patch(NetworkFirewallRule, "default/a", { metadata: { finalizers: null } });
      expect(await client.list(NetworkFirewallRule)).toEqual([]);

      const sample = samples("edge7").find(({ kind }) => kind === "IpsecHost");
      const host = (pre_shared_key: string) => ({ ...sample, metadata, spec: { ...sample?.spec, pre_shared_key } });
      const refusal = await client
        .create(IpsecHost, IpsecHost.parse(host("only\nbetween-us")), { dryRun: true })
        .then(() => "created", String);
      expect(refusal).toMatch(
        /spec\.pre_shared_key: Invalid value: .*not a string on one line without control characters/,
      );
      expect(refusal).not.toContain("between-us");
      await client.create(IpsecHost, IpsecHost.parse(host("p'a\"s$s;w\\o`r|d&<>")), { dryRun: true });
      await client.close();
    } finally {
      await environment.stop();
    }
  });
});
