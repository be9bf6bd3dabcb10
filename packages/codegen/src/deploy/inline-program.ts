import type { ManifestObject } from "./program-objects.ts";

/** Official Node.js image, used to run inline programs. */
export const inlineImage = "docker.io/library/node:24.21.0-slim";

/** Maximum total size of a Secret's values, in bytes. */
export const maxInlineBytes: number = 1024 * 1024;

/** ID of the user as whom the program runs. By default, the image would run it as root. */
const nobody = 65_532;

const bundleKey = "operator.mjs.gz";
const bundleFolder = "/bundle";
const programFolder = "/operator";

/** A program that is bundled into one file. */
export interface InlineBundle {
  /** Name of the program. It is also the prefix of the Secret's name, such as `shop-bundle`. */
  readonly program: string;
  /** Compressed bundle. Its size must not exceed {@link maxInlineBytes}. */
  readonly gzipped: Uint8Array;
  /** Digest of the bundle. If it changes, the Deployment replaces its pods. */
  readonly digest: string;
  /**
   * True to let the cluster choose the user. This is necessary on a development control plane that runs without root privileges. Default
   * false: the program runs as user 65532.
   */
  readonly hasAnyUser?: boolean | undefined;
  /** True if the program contains a source map, so that Node.js reads it. Default false. */
  readonly hasSourceMap?: boolean | undefined;
}

/**
 * Script that unpacks and runs the bundle. All paths come from the environment, so that a control plane can store the files elsewhere. The
 * program gets the same arguments as a program that runs from a file.
 */
const loader = [
  'const { readFileSync, writeFileSync } = require("node:fs");',
  "const { KUBEWRIGHT_BUNDLE: bundle, KUBEWRIGHT_OPERATOR: file } = process.env;",
  'writeFileSync(file, require("node:zlib").gunzipSync(readFileSync(bundle)));',
  "process.argv.splice(1, 0, file);",
  'import(require("node:url").pathToFileURL(file).href);',
].join(" ");

/**
 * Returns a Secret that contains a bundle, and a Deployment that runs the bundle instead of the program's own image.
 * The pods pull only {@link inlineImage}.
 *
 * @param deployment Deployment whose `manager` container, or whose only container, runs the program
 * @throws {Error} if the Deployment has no such container, or the bundle is too large
 */
export function inlineProgram(
  deployment: ManifestObject,
  { program, gzipped, digest, hasAnyUser = false, hasSourceMap = false }: InlineBundle,
): { readonly deployment: ManifestObject; readonly secret: ManifestObject } {
  if (gzipped.length > maxInlineBytes)
    throw new Error(`the bundle is ${gzipped.length} bytes long, but a Secret can hold at most ${maxInlineBytes}`);
  const name = `${program}-bundle`;
  const { namespace, labels } = deployment.metadata;
  const inPod = (pod: Fields): Fields => ({
    ...pod,
    securityContext: ofUser(fieldsOf(pod.securityContext), hasAnyUser ? undefined : nobody),
    volumes: joined(pod.volumes, [
      { name: "bundle", secret: { secretName: name } },
      { name: "operator", emptyDir: { sizeLimit: "64Mi" } },
    ]),
  });
  const inContainer = (container: Fields): Fields => ({
    ...container,
    image: inlineImage,
    command: ["node", ...(hasSourceMap ? ["--enable-source-maps"] : []), "--input-type=commonjs", "-e", loader, "--"],
    env: joined(container.env, [
      { name: "KUBEWRIGHT_BUNDLE", value: `${bundleFolder}/${bundleKey}` },
      { name: "KUBEWRIGHT_OPERATOR", value: `${programFolder}/operator.mjs` },
      { name: "NODE_ENV", value: "production" },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ]),
    volumeMounts: joined(container.volumeMounts, [
      { name: "bundle", mountPath: bundleFolder, readOnly: true },
      { name: "operator", mountPath: programFolder },
    ]),
  });
  const annotations = { "kubewright.dev/bundle": digest };
  return {
    deployment: changed(deployment, inContainer, inPod, annotations),
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) },
      type: "Opaque",
      data: { [bundleKey]: Buffer.from(gzipped).toString("base64") },
    },
  };
}

/**
 * Returns a copy of a Deployment with a different image for the program's container.
 *
 * @throws {Error} if there is no such container
 */
export const withImage = (deployment: ManifestObject, image: string): ManifestObject =>
  changed(deployment, (container) => ({ ...container, image }));

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

function ofUser({ runAsUser: _, runAsGroup: _group, ...others }: Fields, user: number | undefined): Fields {
  return user === undefined ? others : { ...others, runAsUser: user, runAsGroup: user };
}

/** Merges two lists by the names of their items. Added items replace existing ones. */
function joined(there: unknown, added: readonly Fields[]): readonly Fields[] {
  const names = new Set<unknown>(added.map(({ name }) => name));
  const kept = Array.isArray(there) ? there.filter(isFields).filter((one) => !names.has(one.name)) : [];
  return [...kept, ...added];
}

function changed(
  deployment: ManifestObject,
  container: (container: Fields) => Fields,
  pod: (pod: Fields) => Fields = (same) => same,
  annotations: Fields = {},
): ManifestObject {
  const spec = fieldsOf(deployment.spec);
  const template = fieldsOf(spec.template);
  const metadata = fieldsOf(template.metadata);
  const inside = fieldsOf(template.spec);
  const containers = Array.isArray(inside.containers) ? inside.containers.filter(isFields) : [];
  const own =
    containers.find(({ name }) => name === "manager") ?? (containers.length === 1 ? containers[0] : undefined);
  if (!own) throw new Error(`deployment ${deployment.metadata.name} has no container "manager" that runs the program`);
  const podSpec = pod({ ...inside, containers: containers.map((one) => (one === own ? container(one) : one)) });
  const withAnnotations = { ...metadata, annotations: { ...fieldsOf(metadata.annotations), ...annotations } };
  const hasAnnotations = Object.keys(annotations).length > 0;
  return {
    ...deployment,
    spec: {
      ...spec,
      template: { ...template, ...(hasAnnotations ? { metadata: withAnnotations } : {}), spec: podSpec },
    },
  };
}
