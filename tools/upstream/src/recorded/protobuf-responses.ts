import { type GeneratedFile, readCommittedFile, readRepositoryFile } from "../generated-file.ts";
import { resourcesOf, servedVersions } from "./catalogue.ts";
import type { Call, RealServer } from "./real-server.ts";
import { withoutChance } from "./without-chance.ts";

interface Recorded {
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly protobuf: string;
}

interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: object;
}

const file = "packages/codec/src/protobuf/testing/protobuf-responses.jsonl";
const protobuf = "application/vnd.kubernetes.protobuf";
const configMap = "/api/v1/namespaces/default/configmaps";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";

const invalid = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "No Name" } };

/** Requests for responses other than objects: the path, the parameters of the media type, and the body of a POST. */
const others: Readonly<Record<string, readonly [path: string, as?: string, body?: unknown]>> = {
  "a list": [`${configMap}?fieldSelector=metadata.name=none`],
  "a list of two kinds of values": [roles],
  "an error": [`${configMap}/r-none`],
  "an error with causes": [configMap, "", invalid],
  metadata: [`${configMap}/r-cm`, ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"],
  "metadata in v1beta1": [`${configMap}/r-cm`, ";as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io"],
  "metadata of a list": [roles, ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"],
  "metadata of a list in v1beta1": [roles, ";as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io"],
  "versions of the core group": ["/api"],
  "a group": ["/apis/apps"],
  "resources of a group": ["/apis/policy/v1"],
  "aggregated discovery": ["/api", ";as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io"],
};
const watched = "an event of a watch";

/**
 * Repeats the requests in the file in both formats, JSON and protobuf. If an answer differs only in uids, times, versions and addresses,
 * the committed or recorded one is kept, so that an update to another version and back changes nothing.
 */
export async function protobufResponses(server: RealServer, root: string): Promise<GeneratedFile> {
  const before = linesOf(readRepositoryFile(root, file));
  const committed = linesOf(readCommittedFile(root, file));
  const paths = await pathsOfKinds(server);
  const objects = before.filter(({ name }) => !others[name] && name !== watched);
  for (const { json } of objects) await create(server, json as unknown as KubeObject, paths);
  const lines: string[] = [];
  for (const recorded of before) {
    lines.push(JSON.stringify(keptOr(await record(server, recorded, paths), [...committed, recorded])));
  }
  return { path: file, text: `${lines.join("\n")}\n` };
}

const linesOf = (text: string): Recorded[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Recorded);

/** Returns the first earlier response that differs only by chance from a new one, or else the new one. */
export function keptOr(now: Recorded, earlier: readonly Recorded[]): Recorded {
  const text = withoutChance(now.json);
  return earlier.find(({ name, json }) => name === now.name && withoutChance(json) === text) ?? now;
}

/** Returns the paths of all resources, keyed by version and kind. */
async function pathsOfKinds(server: RealServer): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const [version, path] of await servedVersions(server))
    for (const { name, kind, namespaced } of await resourcesOf(server, path))
      if (!name.includes("/"))
        paths.set(`${version}/${kind}`, `${path}${namespaced ? "/namespaces/default" : ""}/${name}`);
  return paths;
}

function pathOf({ apiVersion, kind }: KubeObject, paths: ReadonlyMap<string, string>): string {
  const path = paths.get(`${apiVersion}/${kind}`);
  if (!path) throw new Error(`${kind} of ${apiVersion} is not served`);
  return path;
}

/** Kinds whose status the server itself writes, with a pattern that the final status matches. */
const settled: Readonly<Record<string, RegExp>> = {
  CustomResourceDefinition: /"Established","status":"True"/,
  FlowSchema: /"Dangling"/,
};

const ofTheServer = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "finalizers"];

async function create(server: RealServer, object: KubeObject, paths: ReadonlyMap<string, string>): Promise<void> {
  const { status: reported, ...made } = object;
  const metadata = Object.fromEntries(Object.entries(made.metadata).filter(([name]) => !ofTheServer.includes(name)));
  const addresses = ["clusterIP", "clusterIPs"];
  const spec = made.spec && Object.fromEntries(Object.entries(made.spec).filter(([name]) => !addresses.includes(name)));
  const path = pathOf(object, paths);
  const stored = await written(server, path, "POST", { ...made, metadata, ...(spec ? { spec } : {}) });
  if (!reported || Object.keys(reported).length === 0 || settled[object.kind]) return;
  await written(server, `${path}/${metadata.name}/status`, "PUT", { ...stored, status: reported });
}

async function written(server: RealServer, path: string, method: "POST" | "PUT", body: object): Promise<object> {
  const { status, body: answer } = await server.call(path, { method, body });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${answer}`);
  return JSON.parse(answer.toString()) as object;
}

async function record(server: RealServer, { name, json }: Recorded, paths: ReadonlyMap<string, string>) {
  if (name === watched) {
    const path = `${configMap}?watch=1&fieldSelector=metadata.name=r-cm`;
    const event = await server.firstOf(path, "application/json");
    const frame = await server.firstOf(path, `${protobuf};stream=watch`);
    return { name, json: JSON.parse(event.toString()) as Recorded["json"], protobuf: frame.toString("base64") };
  }
  const object = json as unknown as KubeObject;
  const [path, as = "", body] = others[name] ?? [`${pathOf(object, paths)}/${object.metadata.name}`];
  const how: Call = body === undefined ? {} : { method: "POST", body };
  await untilSettled(server, path, others[name] ? undefined : settled[object.kind]);
  const text = await server.call(path, { ...how, accept: `application/json${as}` });
  const bytes = await server.call(path, { ...how, accept: `${protobuf}${as}` });
  return { name, json: JSON.parse(text.body.toString()) as Recorded["json"], protobuf: bytes.body.toString("base64") };
}

async function untilSettled(server: RealServer, path: string, sign: RegExp | undefined): Promise<void> {
  for (let attempts = 0; sign && attempts < 100; attempts++) {
    const { body } = await server.call(path);
    if (sign.test(body.toString())) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (sign) throw new Error(`${path} never answered ${sign}`);
}
