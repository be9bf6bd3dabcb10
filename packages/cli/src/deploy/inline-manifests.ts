import { isForbidden, stringifyJson } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { type Manifest, parseManifests } from "@kubewright/client/apply";
import { Node } from "@kubewright/client/kinds";
import {
  type InlineBundle,
  inlineImage,
  inlineProgram,
  type ManifestObject,
  maxInlineBytes,
  withImage,
} from "@kubewright/codegen";
import { type BundleOptions, bundleProgram } from "../build/bundle-program.ts";
import { gzipped, sizeText } from "../build/gzip.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { digestOf } from "../image/oci/descriptor.ts";

/** Number of the bundle's largest parts that an error lists. */
const shownParts = 5;

/**
 * Bundles the program into one file that fits in a Secret.
 *
 * @throws {CommandError} if the file is too large; the message lists its largest parts
 */
export async function inlineBundle(
  root: string,
  program: string,
  { inCluster, sourceMap }: Pick<BundleOptions, "inCluster" | "sourceMap">,
): Promise<InlineBundle> {
  const { code, parts } = await bundleProgram({ root, inCluster, sourceMap });
  const packed = gzipped(code);
  if (packed.length > maxInlineBytes) {
    const largest = parts.slice(0, shownParts).map(({ name, bytes }) => `${name} ${sizeText(bytes)}`);
    const remedy = inCluster
      ? "use kubewright image, which has no limit"
      : "pass --in-cluster to omit @kubernetes/client-node, or use kubewright image, which has no limit";
    throw new CommandError(
      `--inline: the program is too large for a Secret: ${sizeText(packed.length)} gzipped, but the limit is ${sizeText(maxInlineBytes)}; largest parts, uncompressed: ${largest.join(", ")}; ${remedy}`,
    );
  }
  return { program, gzipped: packed, digest: digestOf(packed), hasSourceMap: sourceMap };
}

/** Returns the manifests with the program in a Secret instead of an image. */
export function inlineManifests(
  manifests: readonly Manifest[],
  deployment: Manifest,
  bundle: InlineBundle,
): Manifest[] {
  const made = inlineProgram(objectOf(deployment), bundle);
  const [secret] = asManifests(made.secret, "the bundle");
  return [...replaced(manifests, deployment, made.deployment), ...(secret ? [secret] : [])];
}

/** Prefix of `status.nodeInfo.containerRuntimeVersion` on nodes of a development control plane. */
const simulatedRuntime = "kubewright://";
/** Annotation of such a node that lists the images that the node actually runs. Pods of other images are simulated. */
const ranImages = "sim.kubewright.dev/images";
const maxNodes = 100;

/**
 * Reports whether the cluster is a development control plane that runs the inline program as a process.
 *
 * @throws {UsageError} if the control plane only simulates the image, so that pods would become ready without running
 * anything
 */
export async function isRunAsProcess(client: Reader): Promise<boolean> {
  const nodes = await client.list(Node, { limit: maxNodes }).catch((error: unknown) => {
    if (isForbidden(error)) return []; // unknown
    throw error;
  });
  const planes = nodes.filter(({ status }) => status?.nodeInfo?.containerRuntimeVersion.startsWith(simulatedRuntime));
  if (planes.length === 0 || planes.length < nodes.length) return false;
  const images = planes.map(({ metadata }) => metadata.annotations?.[ranImages]?.split(","));
  const names = [inlineImage, inlineImage.replace(/:[^/]*$/, "")];
  if (images.some((known) => known === undefined || names.some((name) => known.includes(name)))) return true;
  throw new UsageError(
    `--inline: this control plane only simulates the image ${inlineImage}, so the pod would be ready without running the program; to run such pods as processes, start the control plane with kubewright controlplane --process-images (in code: with processImage() for that image)`,
  );
}

/** Returns the manifests with a different image in the Deployment. */
export const imageManifests = (manifests: readonly Manifest[], deployment: Manifest, image: string): Manifest[] =>
  replaced(manifests, deployment, withImage(objectOf(deployment), image));

function replaced(manifests: readonly Manifest[], old: Manifest, object: ManifestObject): Manifest[] {
  return manifests.flatMap((one) => (one === old ? asManifests(object, old.source) : [one]));
}

const objectOf = ({ object }: Manifest): ManifestObject => ({ ...object, metadata: { ...object.metadata } });

/** Converts an object to a manifest with its text. The text is JSON, which is also valid YAML. */
const asManifests = (object: ManifestObject, source: string): readonly Manifest[] =>
  parseManifests(stringifyJson(object), source).manifests;
