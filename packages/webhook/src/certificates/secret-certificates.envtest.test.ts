import { X509Certificate } from "node:crypto";
import { isNotFound } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { CaBundleTarget } from "./ca-bundles.ts";
import type { CertificateClient } from "./certificate-client.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { type SecretCertificatesOptions, secretCertificates } from "./secret-certificates.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const key = { namespace: "default", name: "webhook-server-cert" };
const hourMs = 60 * minuteMs;
/** With these, the CA is rotated after 20 hours. */
const times = {
  caLifetimeMs: 30 * hourMs,
  lifetimeMs: 9 * hourMs,
  renewAfterMs: 6 * hourMs,
  intervalMs: 10 * minuteMs,
};
const secret = "default/webhook-server-cert";
const service = { name: "webhook", namespace: "default" };
const targets: readonly CaBundleTarget[] = [
  { kind: "MutatingWebhookConfiguration", name: "shop" },
  { kind: "ValidatingWebhookConfiguration", name: "shop" },
  { kind: "CustomResourceDefinition", name: "sites.shop.example.com" },
  { kind: "ValidatingWebhookConfiguration", name: "not-there" },
];

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
}, 60_000);
afterAll(async () => {
  await client.close();
  await env.stop();
});

const hook = (name: string) => ({
  name,
  clientConfig: { service: { ...service, path: `/${name}` } },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ apiGroups: ["shop.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["sites"] }],
});

const definition = {
  metadata: { name: "sites.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { plural: "sites", singular: "site", kind: "Site", listKind: "SiteList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { service: { ...service, path: "/convert" } }, conversionReviewVersions: ["v1"] },
    },
  },
};

let clock: FakeClock;
let events: string[] = [];
let phases: string[] = [];
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  clock = new FakeClock(Date.now());
  [events, phases] = [[], []];
  await client.create(Secret, { metadata: key });
  await client.create(MutatingWebhookConfiguration, {
    metadata: { name: "shop" },
    webhooks: [hook("a.shop.example.com"), hook("b.shop.example.com")],
  });
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "shop" },
    webhooks: [hook("c.shop.example.com")],
  });
  await client.create(CustomResourceDefinition, definition);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await client.delete(Secret, key).catch(() => {});
  await client.delete(MutatingWebhookConfiguration, "shop");
  await client.delete(ValidatingWebhookConfiguration, "shop");
  await deleteDefinition();
});

/** API servers delete a definition after its objects. */
async function deleteDefinition(): Promise<void> {
  const { name } = definition.metadata;
  await client.delete(CustomResourceDefinition, name);
  const isGone = () => client.get(CustomResourceDefinition, name).then(() => false, isNotFound);
  await expect.poll(isGone, { timeout: 30_000 }).toBe(true);
}

function start(options: Partial<SecretCertificatesOptions> = {}): CertificateSource {
  const source = secretCertificates({
    secret,
    client: tracked(),
    service,
    targets,
    clock,
    metrics: { expiry: () => {}, phase: (phase) => void (phases.at(-1) !== phase && phases.push(phase)) },
    events: { event: (_, { type, reason }) => void events.push(`${type} ${reason}`) },
    ...options,
  });
  const stop = new AbortController();
  const running = source.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
  });
  return source;
}

/** Advances the clock in steps, each after every call of the source was answered, until `look` returns a result. */
async function until(look: () => unknown, stepMs = 30_000): Promise<void> {
  let last: unknown;
  for (let i = 0; i < 400; i++) {
    await turn(0);
    try {
      if (await look()) return;
      last = "not so";
    } catch (error) {
      last = error;
    }
    await turn(stepMs);
  }
  throw last instanceof Error ? last : new Error(String(last));
}

/** Advances the clock by one step. */
async function turn(ms: number): Promise<void> {
  await idle();
  await clock.advance(ms);
  await idle();
}

let underWay = 0;
/** Waits until no call is in progress and none follows from the last answer. */
async function idle(): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet = underWay === 0 ? quiet + 1 : 0)
    await new Promise((resolve) => setImmediate(resolve));
}

const tracked = (): CertificateClient => {
  const live: CertificateClient = client;
  const during = async <T>(call: Promise<T>): Promise<T> => {
    underWay++;
    return call.finally(() => void underWay--);
  };
  return {
    get: (...call) => during(live.get(...call)),
    create: (...call) => during(live.create(...call)),
    update: (...call) => during(live.update(...call)),
    apply: (...call) => during(live.apply(...call)),
    patch: (...call) => during(live.patch(...call)),
  };
};

const stored = async (): Promise<Record<string, string>> => {
  const { data = {} } = await client.get(Secret, key);
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text, "base64").toString()]));
};

/** CA bundle of each configuration, PEM. */
async function trusted(): Promise<string[]> {
  const [mutating, validating, crd] = await Promise.all([
    client.get(MutatingWebhookConfiguration, "shop"),
    client.get(ValidatingWebhookConfiguration, "shop"),
    client.get(CustomResourceDefinition, "sites.shop.example.com"),
  ]);
  return [
    ...(mutating.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle),
    ...(validating.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle),
    crd.spec.conversion?.webhook?.clientConfig?.caBundle,
  ].map((text) => Buffer.from(text ?? "", "base64").toString());
}

const countIn = (pem: string): number => pem.match(/BEGIN CERTIFICATE/g)?.length ?? 0;
const serial = (source: CertificateSource): string => new X509Certificate(source.current?.cert ?? "").serialNumber;

it("fills an empty Secret, and every configuration trusts the certificate; nothing else in them changes", async () => {
  const source = start();
  expect(() => source.check()).toThrow("there is no certificate to serve yet");
  await until(() => source.current);
  source.check();
  await until(async () => (await trusted()).every((bundle) => bundle !== "" && bundle === source.caBundle));
  const leaf = new X509Certificate(source.current?.cert ?? "");
  expect(leaf.checkHost("webhook.default.svc")).toBe("webhook.default.svc");
  expect(leaf.verify(new X509Certificate(source.caBundle ?? "").publicKey)).toBe(true);
  expect(Date.parse(leaf.validTo) - clock.now()).toBeGreaterThan(89 * dayMs);
  const { webhooks, metadata } = await client.get(MutatingWebhookConfiguration, "shop");
  expect(webhooks).toMatchObject([hook("a.shop.example.com"), hook("b.shop.example.com")]);
  expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain("kubewright-ca-injector");
  expect(events).toEqual(["Normal CertificateIssued"]);
});

it("owns no field afterwards, so that you can apply a configuration without an entry or a conversion", async () => {
  const deployed = { fieldOwner: "deployer", force: true };
  const shop = (...names: string[]) => ({ metadata: { name: "shop" }, webhooks: names.map(hook) });
  const [a, b] = ["a.shop.example.com", "b.shop.example.com"];
  await client.delete(MutatingWebhookConfiguration, "shop");
  await client.apply(MutatingWebhookConfiguration, shop(a, b), deployed);
  await deleteDefinition();
  await client.apply(CustomResourceDefinition, definition, deployed);
  // As earlier versions left it.
  const clientConfig = { caBundle: Buffer.from("old").toString("base64") };
  const injected = { metadata: { name: "shop" }, webhooks: [{ name: b, clientConfig }] };
  await client.apply(MutatingWebhookConfiguration, injected, { fieldOwner: "kubewright-ca-injector" });

  const source = start();
  const owners = async () =>
    (
      await Promise.all([
        client.get(MutatingWebhookConfiguration, "shop"),
        client.get(CustomResourceDefinition, definition.metadata.name),
      ])
    ).flatMap(({ metadata }) => metadata.managedFields?.map(({ manager }) => manager));
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
  await until(async () => !(await owners()).includes("kubewright-ca-injector"));

  const left = await client.apply(MutatingWebhookConfiguration, shop(a), deployed);
  expect(left.webhooks?.map(({ name }) => name)).toEqual([a]);
  expect(left.webhooks?.[0]?.clientConfig.caBundle).toBe(Buffer.from(source.caBundle ?? "").toString("base64"));
  const { conversion: _, ...unconverted } = definition.spec;
  const none = { ...definition, spec: { ...unconverted, conversion: { strategy: "None" } } };
  const { spec } = await client.apply(CustomResourceDefinition, none, deployed);
  expect(spec.conversion).toEqual({ strategy: "None" });
});

it("rotates its authority in steps: announced, injected, switched, retired", async () => {
  const source = start({ times });
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
  const [madeAt, firstCa] = [clock.now(), source.caBundle ?? ""];
  await until(() => phases.includes("injected"), 5 * minuteMs);
  expect(clock.now() - madeAt).toBeGreaterThanOrEqual(20 * hourMs);
  expect(clock.now() - madeAt).toBeLessThan(21 * hourMs);
  const old = serial(source);
  expect(new X509Certificate(source.current?.cert ?? "").verify(new X509Certificate(firstCa).publicKey)).toBe(true);
  const both = await trusted();
  expect(both.map(countIn)).toEqual([2, 2, 2, 2]);
  expect(both[0]).toContain(firstCa);
  const injectedAt = clock.now();
  await until(() => phases.includes("switched"), minuteMs);
  expect(clock.now() - injectedAt).toBeGreaterThanOrEqual(2 * minuteMs);
  expect(serial(source)).not.toBe(old);
  expect(new X509Certificate(source.current?.cert ?? "").verify(new X509Certificate(firstCa).publicKey)).toBe(false);
  expect((await trusted()).map(countIn)).toEqual([2, 2, 2, 2]);
  const switchedAt = clock.now();
  await until(() => phases.at(-1) === "steady", 5 * minuteMs);
  expect(clock.now() - switchedAt).toBeGreaterThanOrEqual(60 * minuteMs);
  await until(async () => (await trusted()).every((bundle) => countIn(bundle) === 1));
  expect(source.caBundle).not.toBe(firstCa);
  expect(phases).toEqual(["steady", "announced", "injected", "switched", "steady"]);
  source.check();
});

it("waits during a rotation if a configuration cannot be read, and announces again only if one has lost the next authority", async () => {
  let isDown = false;
  const live = tracked();
  const get: CertificateClient["get"] = (kind, ...rest) =>
    isDown && kind.kind === "ValidatingWebhookConfiguration"
      ? Promise.reject(new Error("connection refused"))
      : live.get(kind, ...rest);
  const source = start({ times, client: { ...live, get } });
  await until(() => phases.includes("injected"), 5 * minuteMs);
  isDown = true;
  const old = serial(source);
  for (let i = 0; i < 5; i++) await turn(10 * minuteMs);
  expect([phases, serial(source)]).toEqual([["steady", "announced", "injected"], old]);
  const announced = (): number => events.filter((event) => event === "Normal CertificateAuthorityAnnounced").length;
  expect(announced()).toBe(1);
  await client.patch(
    MutatingWebhookConfiguration,
    "shop",
    [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }],
    {
      type: "json",
    },
  );
  isDown = false;
  await until(() => phases.at(-1) === "switched", minuteMs);
  expect([phases.slice(3, 5), announced()]).toEqual([["announced", "injected"], 2]);
  expect(serial(source)).not.toBe(old);
  expect((await trusted()).map(countIn)).toEqual([2, 2, 2, 2]);
});

it("renews an old certificate, and issues another if it lacks a name", async () => {
  const source = start({ times });
  await until(() => source.current);
  const [first, issuedAt] = [serial(source), clock.now()];
  await until(() => serial(source) !== first, 10 * minuteMs);
  expect(clock.now() - issuedAt).toBeGreaterThanOrEqual(6 * hourMs);
  expect(clock.now() - issuedAt).toBeLessThan(6.5 * hourMs);
  expect(events.at(-1)).toBe("Normal CertificateRenewed");
  const other = start({ times, dnsNames: ["hooks.example.com"] });
  await until(() => other.current && source.current?.cert === other.current.cert, 10 * minuteMs);
  const both = new X509Certificate(source.current?.cert ?? "");
  expect([both.checkHost("hooks.example.com"), both.checkHost("webhook.default.svc")]).not.toContain(undefined);
  const known = events.length;
  for (let i = 0; i < 5; i++) await turn(10 * minuteMs);
  expect(events.length).toBe(known);
});

it("restores a caBundle that somebody edited", async () => {
  const source = start();
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
  const [first] = (await client.get(ValidatingWebhookConfiguration, "shop")).webhooks ?? [];
  const edited = {
    ...first,
    clientConfig: {
      ...first?.clientConfig,
      caBundle: Buffer.from(source.caBundle ?? "")
        .toString("base64")
        .slice(0, 0),
    },
  };
  await client.patch(ValidatingWebhookConfiguration, "shop", [{ op: "replace", path: "/webhooks/0", value: edited }], {
    type: "json",
  });
  expect((await trusted()).some((bundle) => bundle === "")).toBe(true);
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
});

const spoil = async (data: Record<string, string>): Promise<void> => {
  const coded = Object.fromEntries(
    Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
  );
  await client.patch(Secret, key, { data: coded });
};

it.each([
  ["half a pair", { "tls.key": "" }, "Warning CertificateReissued"],
  ["a key of another certificate", { "tls.key": "garbage" }, "Warning CertificateReissued"],
  ["no key of the authority", { "ca.key": "garbage" }, "Warning CertificateAuthorityReplaced"],
])("issues a new certificate, with an event, if the Secret holds %s", async (_, data, event) => {
  const source = start();
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
  const [first, firstCa] = [serial(source), source.caBundle ?? ""];
  await spoil(data);
  await until(() => events.includes(event));
  await until(() => serial(source) !== first);
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
  const { "tls.key": leafKey, "ca.key": caKey } = await stored();
  expect([leafKey, caKey].map((text) => text?.includes("PRIVATE KEY"))).toEqual([true, true]);
  if (event.endsWith("Reissued")) expect(source.caBundle).toBe(firstCa);
  else expect(phases).toEqual(["steady", "announced", "injected", "switched"]);
});

it("begins a rotation if the Secret was emptied, and keeps serving meanwhile", async () => {
  const source = start();
  await until(async () => (await trusted()).every((bundle) => bundle === source.caBundle));
  const [first, firstCa] = [serial(source), source.caBundle ?? ""];
  await spoil({ "tls.key": "", "tls.crt": "", "ca.crt": "", "ca.key": "", "next-ca.key": "" });
  await until(() => phases.at(-1) === "announced" || phases.at(-1) === "injected");
  expect(serial(source)).toBe(first);
  expect(source.caBundle).toContain(firstCa);
  await until(() => phases.at(-1) === "switched");
  expect(serial(source)).not.toBe(first);
});

it("creates everything anew, with an event, if a Secret never held anything usable", async () => {
  await spoil({
    "tls.crt": "a",
    "tls.key": "b",
    "ca.crt": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  });
  const source = start();
  await until(() => source.current);
  expect(events).toEqual(["Warning CertificateReissued"]);
});

it("reports a missing Secret, and creates it only if configured", async () => {
  await client.delete(Secret, key);
  const source = start();
  await until(() => {
    try {
      source.check();
    } catch (error) {
      return String(error).includes(
        `the Secret ${secret} for the certificate does not exist; create an empty one (kubectl create secret generic webhook-server-cert -n default), which is filled automatically`,
      );
    }
    return false;
  });
  const other = start({ createSecret: true });
  await until(() => other.current !== undefined && other.current.cert === source.current?.cert);
});

it("fails its check once it could not read the Secret for half an hour, and passes again afterwards", async () => {
  const source = start();
  await until(() => source.current);
  source.check();
  await client.delete(Secret, key);
  for (let i = 0; i < 59; i++) await turn(30_000);
  source.check();
  await until(() => {
    try {
      source.check();
      return false;
    } catch (error) {
      return /has not been read for 18\d\d s; the certificate may no longer be trusted: the Secret .* does not exist/.test(
        String(error),
      );
    }
  });
  await client.create(Secret, { metadata: key });
  await until(() => {
    source.check();
    return true;
  });
  expect(events).toContain("Warning CertificateAuthorityReplaced");
});

it("fails its check after the machine slept, until it has read the Secret again", async () => {
  const source = start();
  await until(() => source.current);
  source.check();
  clock.setWall(clock.now() + 31 * minuteMs); // monotonic time stands still while a machine sleeps
  expect(() => source.check()).toThrow("has not been read for 18");
  await turn(30_000);
  source.check();
});

it.each([
  [{ secret: "webhook-server-cert" }, 'certificates.secret "webhook-server-cert": must be "namespace/name"'],
  [{ service: undefined }, "pass `service` or `dnsNames`"],
  [{ dnsNames: ["a b"] }, "a DNS name must consist of ASCII"],
  [{ times: { staleAfterMs: 60 * minuteMs } }, "staleAfterMs must be below retireAfterMs"],
  [{ times: { switchAfterMs: -1 } }, "switchAfterMs must be a positive number of milliseconds"],
  [{ times: { caLifetimeMs: 91 * dayMs, retireAfterMs: 31 * dayMs } }, "must be less than a third of caLifetimeMs"],
])("refuses %j", (options, why) => {
  expect(() => secretCertificates({ secret, client, service, ...options })).toThrow(why);
});
