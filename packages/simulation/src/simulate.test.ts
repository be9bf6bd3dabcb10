import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { defineKind } from "@kubewright/apimachinery";
import { Recording } from "@kubewright/replay/player";
import { afterAll, expect, it } from "vitest";
import { type ClusterObject, isSimulationError, type SimulationOptions, simulate } from "./index.ts";

const folder = mkdtempSync(join(import.meta.dirname, "../.simulated-"));
afterAll(() => rmSync(folder, { recursive: true }));

const Note = defineKind({
  group: "notes.example.com",
  version: "v1",
  kind: "Note",
  scope: "Namespaced",
  spec: {
    type: "object",
    properties: { text: { type: "string", default: "hello" }, copies: { type: "integer", minimum: 0, maximum: 3 } },
  },
} as never);

/** Writes a program that copies each Note into ConfigMaps. @param reconcile its statements @param building more calls of the builder */
function programOf(reconcile: string, top = "", building = ""): URL {
  const path = join(folder, `program-${Math.random().toString(36).slice(2)}.ts`);
  writeFileSync(
    path,
    `import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { controllerReference, ignoreAlreadyExists, unstructured } from "@kubewright/apimachinery";
import { ConfigMap } from "@kubewright/client/kinds";
const Note = unstructured({ apiVersion: "notes.example.com/v1", kind: "Note" });
${top}
export function setup(manager) {
  controllerManagedBy(manager).for(Note).owns(ConfigMap)${building}.complete(asReconciler(Note, async (note, { client }) => {
    const { name, namespace } = note.metadata;
    const metadata = { name, namespace, ownerReferences: [controllerReference(note)] };
    const data = { text: String(note.spec?.text) };
    ${reconcile}
  }));
}
`,
  );
  return pathToFileURL(path);
}

async function failureOf(program: URL, options: Partial<SimulationOptions> = {}): Promise<string> {
  const simulated = simulate(program, { kinds: [Note], schedules: 6, seed: 1, print: () => {}, ...options });
  const error = await simulated.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error === undefined) return "";
  if (!isSimulationError(error)) throw error;
  return error.message;
}

const correct = "await client.apply(ConfigMap, { metadata, data }, { force: true });";

it("finds nothing in a correct program, and leaves the globals as they were", { timeout: 300_000 }, async () => {
  const before = [Date, setTimeout, Math.random, fetch];
  expect(await failureOf(programOf(correct), { schedules: 3 })).toBe("");
  expect([Date, setTimeout, Math.random, fetch]).toEqual(before);
});

it("kills the program before and after each write of a reconcile", { timeout: 300_000 }, async () => {
  const twice = `await client.apply(ConfigMap, { metadata: { ...metadata, name: name + "-first" }, data }, { force: true }); ${correct}`;
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const options = { kinds: [Note], schedules: 1, from: 4, seed: 1, print };
  const { kills } = await simulate(programOf(twice), options);
  expect(kills).toEqual({ tested: 4, all: 4, missing: [] });
  expect(lines.at(-1)).toContain("the program was killed at 4 of 4 places");
});

it("calls the webhooks of the program", { timeout: 300_000 }, async () => {
  const path = join(folder, "webhooks.ts");
  const controller = programOf(correct).pathname.split("/").at(-1);
  const text = `import { admission } from "@kubewright/webhook";
import { defineKind } from "@kubewright/apimachinery";
import { setup as addController } from "./${controller}";
const names = { group: "notes.example.com", version: "v1", kind: "Note", scope: "Namespaced" };
const Note = defineKind({ ...names, spec: { type: "object", properties: { text: { type: "string" } } } });
export function setup(manager) {
  addController(manager);
  const refuse = (note) => { if (note.spec?.text === "other") throw new Error("not this text"); };
  manager.webhooks.add(admission(Note)
    .default((note) => { note.metadata.labels = { ...note.metadata.labels, seen: "yes" }; })
    .validate({ create: refuse, update: refuse }));
}
`;
  writeFileSync(path, text);
  const seen = new Set<unknown>();
  const texts = new Set<unknown>();
  const failure = await failureOf(pathToFileURL(path), {
    schedules: 6,
    always: ({ object }) => {
      if (object?.kind !== "Note") return;
      seen.add(object.metadata.labels?.seen);
      texts.add((object.spec as { text?: unknown } | undefined)?.text);
    },
  });
  expect(failure).toBe("");
  expect([...seen]).toEqual(["yes"]);
  expect(texts.size).toBeGreaterThan(2);
  expect(texts).not.toContain("other");
});

it.each([
  [
    "an object without an owner",
    `delete metadata.ownerReferences;${correct}`,
    /✗ (deletion|history|healing|idempotent): /,
  ],
  ["a value from memory", `data.count = String(++count);${correct}`, /✗ quiet: the program does not stop/],
  [
    "a create that is never repeated",
    "if (seen.has(note.metadata.uid)) return; seen.add(note.metadata.uid); await client.create(ConfigMap, { metadata, data }).catch(ignoreAlreadyExists);",
    /✗ (history|healing): /,
  ],
])("finds %s, and prints its story", { timeout: 300_000 }, async (_, reconcile, sign) => {
  const failure = await failureOf(programOf(reconcile, "const seen = new Set(); let count = 0;"));
  expect(failure).toMatch(sign);
  expect(failure).toMatch(/user {4} creates Note default\/[\s\S]* program +(create|patch) /);
  expect(failure).toContain("KUBEWRIGHT_SEED=1/");
  expect(failure.split("\n").length).toBeLessThan(40);
});

it("finds a program that fails for ever or does nothing", { timeout: 300_000 }, async () => {
  const failing = `${correct} if (note.spec?.text !== undefined) throw new TypeError("not a function");`;
  expect(await failureOf(programOf(failing))).toMatch(
    /✗ quiet: controller note keeps failing for default\/\w+: panic: not a function/,
  );
  // What only users can correct.
  const refused = correct.replace(
    "metadata, data",
    "metadata, data: { ...data, ...(note.spec?.copies ? { '/': 'a' } : {}) }",
  );
  expect(await failureOf(programOf(refused))).toBe("");
  expect(await failureOf(programOf("return;"), { schedules: 2 })).toBe(
    "✗ active: the program wrote nothing in 2 schedules; check that its controllers watch the simulated kinds, and that the users' objects cause it to act",
  );
  expect(await failureOf(programOf("return;"), { schedules: 2, without: { active: "it only reads" } })).toBe("");
});

it("gives the program the outside world, and refuses all other addresses", { timeout: 300_000 }, async () => {
  const stored = new Set<string>();
  let isDown = false;
  const bucket = {
    name: "bucket",
    fetch: ({ url }: Request) => {
      const { hostname, pathname } = new URL(url);
      if (hostname !== "bucket.example.com") return undefined;
      if (!isDown) stored.add(pathname.slice(1));
      return Promise.resolve(new Response(null, { status: isDown ? 503 : 200 }));
    },
    faults: () => {
      isDown = true;
      return "answers 503";
    },
    heal: () => {
      isDown = false;
    },
    reset: () => stored.clear(),
  };
  const sending = (host: string): URL =>
    programOf(
      `const { ok } = await fetch("https://${host}/" + namespace + "/" + name, { method: "PUT" });
       if (!ok) throw new Error("the bucket is down");
       ${correct}`,
    );
  let writes = 0;
  const failure = await failureOf(sending("bucket.example.com"), {
    world: [bucket],
    always: () => {
      writes++;
    },
    holds: async ({ objects }) => {
      for (const { kind, metadata } of await objects())
        if (kind === "Note" && !stored.has(`${metadata.namespace}/${metadata.name}`))
          throw new Error(`${metadata.name} is not in the bucket`);
    },
  });
  expect(failure).toBe("");
  expect(writes).toBeGreaterThan(0);
  const state = () => Object.fromEntries([...stored].map((key) => [key, "stored"]));
  expect(await failureOf(sending("bucket.example.com"), { schedules: 2, world: [{ ...bucket, state }] })).toMatch(
    /✗ deletion: bucket default\/\w+ still exists/,
  );
  expect(await failureOf(sending("elsewhere.example.com"), { world: [bucket] })).toContain(
    "✗ clean: the program uses the network: PUT https://elsewhere.example.com/default/",
  );
});

it("prints the same story for the same seed", { timeout: 300_000 }, async () => {
  const program = programOf(`delete metadata.ownerReferences;${correct}`);
  const first = await failureOf(program);
  expect(first).not.toBe("");
  expect(await failureOf(program)).toBe(first);
});

it("saves the reconciles of a failing schedule for replay", { timeout: 300_000 }, async () => {
  const reconcile = `delete metadata.ownerReferences;${correct}`;
  const failure = await failureOf(programOf(reconcile), { schedules: 1 });
  const file = join(folder, ".kubewright/simulations/1-0.kwr");
  expect(failure).toMatch(
    /^replay its reconciles: npx kubewright replay \S*\/\.kubewright\/simulations\/1-0\.kwr --inspect$/m,
  );
  const { reconciles } = Recording.read(readFileSync(file));
  const verbs = reconciles.map(({ controller, steps }) => [controller, ...steps.map(({ verb }) => verb)]);
  expect(verbs).toContainEqual(["note", "get", "apply"]);
  rmSync(file);
  expect(await failureOf(programOf(reconcile), { schedules: 1, shorten: false })).not.toContain(
    "replay its reconciles",
  );
  expect(existsSync(file)).toBe(false);
});

it("prints the same story in a thread of its own and in the test's thread", { timeout: 300_000 }, async () => {
  const program = programOf(`data.count = String(++count);${correct}`, "let count = 0;");
  const apart = await failureOf(program);
  expect(apart).toContain("✗ quiet");
  expect(await failureOf(program, { always: () => {} })).toBe(apart);
});

it("reports a program that ends its process or cannot be loaded", { timeout: 300_000 }, async () => {
  const [ending, broken] = [programOf("", "process.exit(3);"), programOf("", 'throw new Error("broken");')];
  await expect(failureOf(ending)).rejects.toThrow("the program ended its own process with code 3");
  await expect(failureOf(broken)).rejects.toThrow("broken");
});

it("does not damage what the API server added to an object", { timeout: 300_000 }, async () => {
  const program = programOf(
    `const labels = { note: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
    const object = { metadata: { ...metadata, labels }, spec: { selector: { matchLabels: labels }, template } };
    const made = await client.get(Deployment, { namespace, name }).catch(ignoreNotFound);
    if (!made) await client.create(Deployment, object);
    else if (!isDeepStrictEqual(made.metadata.labels, labels))
      await client.update(Deployment, { ...made, metadata: { ...made.metadata, labels } });`,
    'import { isDeepStrictEqual } from "node:util"; import { ignoreNotFound } from "@kubewright/apimachinery"; import { Deployment } from "@kubewright/client/kinds";',
    ".owns(Deployment)",
  );
  const changed = new Set<string>();
  const failure = await failureOf(program, {
    always: ({ by, object, old }) => {
      if (by !== "neighbour" || object?.kind !== "Deployment" || !old) return;
      for (const [name, value] of Object.entries(specOf(object)))
        if (!isDeepStrictEqual(value, specOf(old)[name])) changed.add(name);
      if (!isDeepStrictEqual(object.metadata.labels, old.metadata.labels)) changed.add("labels");
    },
  });
  expect(failure).toBe("");
  expect([...changed]).toEqual(["labels"]);
});

const specOf = ({ spec }: ClusterObject): Record<string, unknown> => Object(spec);

it("loads the modules of the program anew in each simulation", { timeout: 300_000 }, async () => {
  const program = programOf(
    `const id = note.metadata.uid + note.metadata.generation; if (!known.has(id)) { ${correct} } known.add(id);`,
    "const known = new Set();",
  );
  const first = await failureOf(program);
  expect(first).toContain("✗ healing");
  expect(await failureOf(program)).toBe(first);
});

it("serves CRDs from files, and ignores folders that do not exist", { timeout: 300_000 }, async () => {
  const Other = defineKind({
    group: "notes.example.com",
    version: "v1",
    kind: "Other",
    scope: "Namespaced",
    spec: { type: "object", properties: {} },
  } as never);
  const other = 'unstructured({ apiVersion: "notes.example.com/v1", kind: "Other" })';
  const program = programOf(`await client.list(${other}, { namespace }); ${correct}`);
  writeFileSync(join(folder, "other.json"), JSON.stringify(Other.crd));
  const [file, missing] = ["other.json", "missing/"].map((name) => pathToFileURL(join(folder, name)));
  expect(await failureOf(program, { schedules: 2, crds: [file ?? {}, missing ?? {}] })).toBe("");
  expect(await failureOf(program, { schedules: 2 })).not.toBe("");
});

const notes = { apiGroups: ["notes.example.com"], resources: ["notes"], verbs: ["list", "watch"] };
const configMaps = { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch", "patch"] };

it("gives the program the permissions of a role, and reports requests that it does not allow", {
  timeout: 300_000,
}, async () => {
  const swallowing = programOf(correct.replace(";", ".catch(() => {});"));
  expect(await failureOf(swallowing, { schedules: 2, role: { rules: [notes, configMaps] } })).toMatch(
    /✗ clean: the program may not patch configmaps default\/\w+: its role lacks the verb create on configmaps/,
  );
  const verbs = [...configMaps.verbs, "create"];
  expect(await failureOf(swallowing, { schedules: 2, role: { rules: [notes, { ...configMaps, verbs }] } })).toBe("");
});

it("gives the program its generated roles, with those that tests recorded", { timeout: 300_000 }, async () => {
  const needs = programOf(correct, "", '.needs(ConfigMap, ["create", "patch"])');
  expect(await failureOf(needs, { schedules: 2, role: "generated" })).toBe("");
  const undeclared = programOf(correct);
  const failure = await failureOf(undeclared, { schedules: 2, role: "generated" });
  expect(failure).toMatch(
    /✗ clean: the program may not patch configmaps .*\.needs\(<kind of configmaps>, \["patch"\]\)/,
  );
  mkdirSync(join(folder, "config/rbac"), { recursive: true });
  const permissions = [{ group: "", resource: "configmaps", verbs: ["create", "patch"] }];
  writeFileSync(join(folder, "config/rbac/observed.json"), JSON.stringify({ permissions }));
  expect(await failureOf(undeclared, { schedules: 2, role: "generated" })).toBe("");
});

it("finds two replicas that reconcile one object at the same time, although neither writes", {
  timeout: 300_000,
}, async () => {
  const look = "await new Promise((resolve) => setTimeout(resolve, 100));";
  // Replicas take over from each other.
  const options = { from: 7, schedules: 1, shorten: false, without: { active: "the program writes nothing" } };
  expect(await failureOf(programOf(look, "", ".withOptions({ needLeaderElection: false })"), options)).toMatch(
    /✗ fenced: program \d and program \d reconcile \w+\/\w+ at the same time \(controller note\)/,
  );
  expect(await failureOf(programOf(look), options)).toBe("");
});

it("runs the built-in controllers if asked to", { timeout: 300_000 }, async () => {
  const top = `import { Deployment } from "@kubewright/client/kinds";
const labels = { app: "note" };
const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } } };`;
  const program = programOf(
    `const { status } = await client.apply(Deployment, { metadata, spec: { ...spec, replicas: 1 } }, { force: true });
    data.ready = String(status?.readyReplicas ?? 0);
    ${correct}`,
    top,
    ".owns(Deployment)",
  );
  const seen = new Set<unknown>();
  const writers = new Set<string>();
  const always: SimulationOptions["always"] = ({ by, object }) => {
    if (object?.kind === "Pod") writers.add(by);
    if (object?.kind === "ConfigMap") seen.add((object.data as { ready?: unknown } | undefined)?.ready);
  };
  expect(await failureOf(program, { schedules: 1, controllers: true, always })).toBe("");
  expect([seen.has("1"), [...writers]]).toEqual([true, ["built-in controllers"]]);
});
