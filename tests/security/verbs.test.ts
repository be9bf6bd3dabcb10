import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grant, untilGranted } from "./granted-users.ts";
import { Caller, type ReceivedResponse } from "./raw-caller.ts";
import { beyond } from "./verbs/beyond-the-verb.ts";
import { createdByUpdate } from "./verbs/creating-by-update.ts";
import { impersonation } from "./verbs/impersonation.ts";
import { namespacesInNamespaces } from "./verbs/namespaces-in-namespaces.ts";
import { ns } from "./verbs/objects.ts";
import { order } from "./verbs/order.ts";
import { plainVerbs } from "./verbs/plain-verbs.ts";
import { params } from "./verbs/policy-parameters.ts";
import { setting } from "./verbs/setting.ts";
import { subresources } from "./verbs/subresources.ts";
import type { VerbCase } from "./verbs/verb-case.ts";

/**
 * Would break: a user can do only what a role allows. Sends every request once with the minimal permissions, once without each of them, and
 * once with similar ones. Also runs on the real server, if `KUBEBUILDER_ASSETS` names its binaries.
 */
const tables: Readonly<Record<string, readonly VerbCase[]>> = {
  "creating by an update": createdByUpdate,
  "what is asked first": order,
  "plain verbs": plainVerbs,
  "namespaces in namespaces": namespacesInNamespaces,
  subresources,
  "rights beyond the verb": beyond,
  impersonation,
  "parameters of policies": params,
};

interface Actor {
  readonly name: string;
  readonly rights: readonly string[];
}

const setsOf = ({ needs, notEnough = [] }: VerbCase): readonly (readonly string[])[] => [
  ...needs.map((_, without) => needs.filter((__, at) => at !== without)),
  ...notEnough,
  needs,
];
const actors = new Map<VerbCase, readonly Actor[]>();
for (const [at, one] of Object.values(tables).flat().entries())
  actors.set(
    one,
    setsOf(one).map((rights, set) => ({ name: `user-${at}-${set}`, rights })),
  );

const things = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.verbs.test" },
  spec: {
    group: "verbs.test",
    names: { plural: "things", kind: "Thing" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
/** The part of every Secret's value that an answer would contain. */
const leaked = Buffer.from("the secret of").toString("base64").slice(0, 16);

describe("permissions for each request", () => {
  let env: Environment;
  let admin: Caller;
  beforeAll(async () => {
    const own = impersonation.flatMap((one) => actors.get(one) ?? []);
    env = await Environment.start({ crds: [things], users: own.map(({ name }) => ({ name })) });
    admin = new Caller(env.connection());
    for (const [path, body] of setting) await admin.must("POST", path, body);
    const all = [...actors.values()].flat();
    for (let at = 0; at < all.length; at += 16)
      await Promise.all(all.slice(at, at + 16).map(({ name, rights }) => grant(admin, name, ns, rights)));
  }, 120_000);
  afterAll(async () => {
    admin.close();
    await env.stop();
  });

  async function send(
    { method, path, body, contentType, impersonate }: VerbCase,
    name: string,
  ): Promise<ReceivedResponse> {
    const caller = impersonate ? new Caller(env.connection(name)) : admin.as(name);
    const content = contentType === undefined ? {} : { "content-type": contentType };
    const answer = await caller.call(method, path, body, { ...content, ...impersonate });
    if (impersonate) caller.close();
    return answer;
  }

  async function atVersion(one: VerbCase): Promise<VerbCase> {
    const { body } = await admin.must("GET", one.path);
    const given = one.body as { readonly metadata: object };
    const { resourceVersion } = body.metadata;
    return { ...one, body: { ...given, metadata: { ...given.metadata, resourceVersion } } };
  }

  for (const [title, table] of Object.entries(tables))
    describe(title, () => {
      it.each(table)("$what", async (one) => {
        const acting = actors.get(one) ?? [];
        for (const [method, path, body] of one.before ?? []) await admin.must(method, path, body);
        for (const { name, rights } of acting) await untilGranted(admin, name, ns, rights);
        const outcomes = [];
        const ready = one.atVersion ? await atVersion(one) : one;
        for (const { name } of acting) outcomes.push(await send(ready, name));
        const full = outcomes.pop();
        for (const [at, { status, text }] of outcomes.entries()) {
          const expected = one.refused?.[at] ?? 403;
          expect(`${status} ${text}`, `with only: ${acting[at]?.rights.join(", ")}`).toMatch(
            new RegExp(`^${expected} `),
          );
          expect(text.replaceAll('\\"', '"')).toContain(one.refusals?.[at] ?? wordsFor(one.needs[at]));
          expect(text).not.toContain(leaked);
        }
        expect(`${full?.status} ${full?.text}`).toMatch(new RegExp(`^${one.status} `));
        if (!one.kept) return;
        const [path, word] = one.kept;
        expect(JSON.stringify((await admin.must("GET", path)).body.status)).not.toContain(word);
      });
    });
});

/** Returns the words by which a refusal names a missing permission. */
function wordsFor(right: string | undefined): string {
  if (right === undefined) return "";
  const [verb = "", target = ""] = right.replace(/^cluster /, "").split(" ");
  if (target.startsWith("/")) return `cannot ${verb} path "`;
  const [qualified = "", subresource] = target.split(/\/(.*)/);
  const resource = qualified.replace(/\..*/, "");
  return `cannot ${verb} resource "${resource}${subresource === undefined ? "" : `/${subresource}`}"`;
}
