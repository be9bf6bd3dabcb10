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
import { NotSoError, UsageError } from "../command/errors.ts";
import { digestOf } from "../image/oci/descriptor.ts";

/** So many of the largest parts of a bundle are named. */
const shownParts = 5;

/**
 * The program in one file, small enough for a Secret.
 *
 * @throws {NotSoError} with its largest parts, if it is not
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
    const remedy = inCluster ? "" : "--in-cluster leaves @kubernetes/client-node out, and ";
    throw new NotSoError(
      `--inline: the program has ${sizeText(packed.length)} gzipped, a Secret at most ${sizeText(maxInlineBytes)}; the largest parts, unpacked: ${largest.join(", ")}: ${remedy}kubewright image has no limit`,
    );
  }
  return { program, gzipped: packed, digest: digestOf(packed), hasSourceMap: sourceMap };
}

/** The manifests with the program in a Secret in place of its image. */
export function inlineManifests(
  manifests: readonly Manifest[],
  deployment: Manifest,
  bundle: InlineBundle,
): Manifest[] {
  const made = inlineProgram(objectOf(deployment), bundle);
  const [secret] = asManifests(made.secret, "the bundle");
  return [...replaced(manifests, deployment, made.deployment), ...(secret ? [secret] : [])];
}

/** What `status.nodeInfo.containerRuntimeVersion` of a development plane's node begins with. */
const simulatedRuntime = "kubewright://";
/** Annotation of such a node: the images that it runs. It simulates all others. */
const ranImages = "sim.kubewright.dev/images";
const maxNodes = 100;

/**
 * Reports whether a cluster is a development plane that runs an inline program as a process.
 *
 * @throws {UsageError} if it only simulates the image: its pods would be Ready and do nothing
 */
export async function isRunAsProcess(client: Reader): Promise<boolean> {
  const nodes = await client.list(Node, { limit: maxNodes }).catch((error: unknown) => {
    if (isForbidden(error)) return []; // not known
    throw error;
  });
  const planes = nodes.filter(({ status }) => status?.nodeInfo?.containerRuntimeVersion.startsWith(simulatedRuntime));
  if (planes.length === 0 || planes.length < nodes.length) return false;
  const images = planes.map(({ metadata }) => metadata.annotations?.[ranImages]?.split(","));
  const names = [inlineImage, inlineImage.replace(/:[^/]*$/, "")];
  if (images.some((known) => known === undefined || names.some((name) => known.includes(name)))) return true;
  throw new UsageError(
    `--inline: this control plane only simulates the image ${inlineImage}: the program would be Ready and would not run; start the control plane with kubewright controlplane --process-images (a program: with processImage() for that image), so that it runs such pods as processes of its machine`,
  );
}

/** The manifests with another image. */
export const imageManifests = (manifests: readonly Manifest[], deployment: Manifest, image: string): Manifest[] =>
  replaced(manifests, deployment, withImage(objectOf(deployment), image));

function replaced(manifests: readonly Manifest[], old: Manifest, object: ManifestObject): Manifest[] {
  return manifests.flatMap((one) => (one === old ? asManifests(object, old.source) : [one]));
}

const objectOf = ({ object }: Manifest): ManifestObject => ({ ...object, metadata: { ...object.metadata } });

/** JSON is YAML. */
const asManifests = (object: ManifestObject, source: string): readonly Manifest[] =>
  parseManifests(stringifyJson(object), source).manifests;
