import { resolve } from "node:path";
import { systemClock } from "@kubewright/clock";
import type { Command } from "commander";
import { bundleProgram, noSourceMap } from "../build/bundle-program.ts";
import { timeoutMsOf } from "../cluster/timeout.ts";
import { type CommandContext, type CommonFlags, withCommonFlags, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { defaultBase } from "../project/default-base.ts";
import { findProject, type Project } from "../project/project.ts";
import { type BaseImage, readBase } from "./base-image.ts";
import { type ComposedImage, composeImage } from "./compose-image.ts";
import { blobOf } from "./oci/blob-source.ts";
import { type Platform, platformText } from "./oci/descriptor.ts";
import { layoutSource } from "./oci/layout-source.ts";
import { writeLayout } from "./oci/write-layout.ts";
import { programLayer } from "./program-layer.ts";
import { pushImage } from "./push-image.ts";
import { readDockerConfig } from "./registry/docker-config.ts";
import { addressOf, parseReference, type Reference, referenceText } from "./registry/reference.ts";
import { Registry } from "./registry/registry.ts";

interface ImageFlags extends CommonFlags {
  readonly entry: string;
  readonly tag?: string;
  readonly base?: string;
  readonly platform?: readonly string[];
  readonly inCluster?: true;
  readonly sourceMap: boolean;
  readonly output?: string;
  readonly push?: true;
  readonly timeout: string;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, ...value.split(",")];

export function addImage(program: Command, context: CommandContext): void {
  const command = program
    .command("image")
    .description("build a container image of the program, without Docker")
    .option("--tag <reference>", "name of the image, such as registry.example.com/shop:v1")
    .option(
      "--base <image>",
      'base image: oci:FOLDER, oci:FILE.tar or NAME@DIGEST (default: "base" in kubewright.json)',
    )
    .option(
      "--platform <platform>",
      "target platform, such as linux/arm64 (repeatable; default: all platforms of the base image)",
      collect,
    )
    .option(
      "--output <file>",
      "write the OCI layout to this tar archive (default: dist/image.tar, unless --push is given)",
    )
    .option("--push", "push the image to the registry in --tag")
    .option("--entry <file>", "module to run", "src/main.ts")
    .option(
      "--in-cluster",
      "omit @kubernetes/client-node, even if kubewright/exec is imported; only for programs that never run outside a cluster",
    )
    .option(...noSourceMap)
    .option("--timeout <duration>", "maximum total time for registry requests", "30m")
    .action((flags: ImageFlags) => context.run((signal) => withinTime(context, flags, signal)));
  withExample(withCommonFlags(command), "npx kubewright image --base oci:base --tag shop:v1");
}

async function withinTime(context: CommandContext, flags: ImageFlags, signal: AbortSignal): Promise<number> {
  const timeoutMs = timeoutMsOf(flags.timeout);
  const late = new AbortController();
  const timer = systemClock.after(timeoutMs, () => late.abort());
  try {
    return await run(context, flags, AbortSignal.any([signal, late.signal]));
  } catch (cause) {
    if (!late.signal.aborted) throw cause;
    throw new CommandError(`image: did not finish within ${flags.timeout}; set a longer --timeout`, { cause });
  } finally {
    timer.cancel();
  }
}

async function run(context: CommandContext, flags: ImageFlags, signal: AbortSignal): Promise<number> {
  const { io, cwd } = context;
  const project = findProject(cwd);
  const tag = parseReference(flags.tag ?? `${project.name}:latest`, "--tag");
  if (tag.digest !== undefined)
    throw new UsageError(`--tag ${JSON.stringify(flags.tag)}: a tag must not contain a digest; remove it`);
  const target = flags.push ? pushTarget(tag) : undefined;
  const platforms = (flags.platform ?? []).map(parsePlatform);
  const base = await baseOf(context, project, flags, platforms, signal);
  const { entry, inCluster, sourceMap } = flags;
  const { code } = await bundleProgram({ root: project.root, entry, inCluster, sourceMap });
  const image = composeImage(base, programLayer(code), sourceMap ? ["--enable-source-maps"] : []);
  const { digest } = image.root.descriptor;
  const names = image.platforms.map(platformText);
  const report = new Report<object>(io, flags);
  const output = flags.output ?? (target ? undefined : "dist/image.tar");
  if (output !== undefined) {
    const reference = referenceText({ ...tag, tag: tag.tag ?? "latest" });
    const path = resolve(flags.output === undefined ? project.root : cwd, output);
    await writeLayout(path, image.root.descriptor, reference, everyBlob(image), signal);
    report.add({ path: output, digest, platforms: names }, `  ${output}  ${digest}  ${names.join(", ")}`);
  }
  if (target) {
    const readsFrom = mountedFrom(base, target);
    const config = readDockerConfig(io.env);
    const registry = new Registry(target, "pull,push", { config, signal, readsFrom });
    const { uploaded, known } = await pushImage(registry, image, base, target.tag);
    const reference = `${referenceText(target)}@${digest}`;
    const line = `  ${reference}  ${names.join(", ")}  ${uploaded} blobs uploaded, ${known} already present`;
    report.add({ reference, digest, platforms: names, uploaded, known }, line);
  }
  report.end();
  return 0;
}

const everyBlob = ({ root, manifests, blobs }: ComposedImage) => [
  ...blobs,
  ...[root, ...manifests].map(({ descriptor, bytes }) => blobOf(descriptor, bytes)),
];

/** Returns the tag as a push target; without a tag name, `latest` is used. @throws {UsageError} if the tag contains no registry */
function pushTarget(tag: Reference): Reference & { readonly host: string; readonly tag: string } {
  const { host } = tag;
  if (host === undefined)
    throw new UsageError(
      `--tag ${JSON.stringify(referenceText(tag))}: --push requires a tag with a registry, such as "registry.example.com/${referenceText(tag)}"`,
    );
  return { ...tag, host, tag: tag.tag ?? "latest" };
}

/** Returns repositories of the target's registry from which blobs can be mounted. */
function mountedFrom({ name }: BaseImage, target: Reference): string[] {
  if (name.startsWith("oci:")) return [];
  const from = parseReference(name, "--base");
  return (from.host ?? "docker.io") === target.host ? [addressOf(from).repository] : [];
}

async function baseOf(
  { io, cwd }: CommandContext,
  project: Project,
  flags: ImageFlags,
  platforms: readonly Platform[],
  signal: AbortSignal,
): Promise<BaseImage> {
  const name = flags.base ?? project.base;
  if (name === undefined)
    throw new UsageError(
      `image: --base is required because kubewright.json has no "base"; add "base": "${defaultBase}" to it, or pass a layout with --base oci:FOLDER`,
    );
  const [, layout] = /^oci:(.+)$/.exec(name) ?? [];
  if (layout !== undefined) {
    const path = resolve(flags.base === undefined ? project.root : cwd, layout);
    return readBase(await layoutSource(path, name), name, platforms);
  }
  const reference = parseReference(name, "--base");
  const host = reference.host ?? "docker.io";
  const registry = new Registry({ ...reference, host }, "pull", { config: readDockerConfig(io.env), signal });
  if (reference.digest === undefined) {
    const { digest } = await registry.root();
    throw new UsageError(
      `--base ${JSON.stringify(name)}: tags can change, so a digest is required; pass ${name}@${digest}, which is the current one, or set it as "base" in kubewright.json`,
    );
  }
  return readBase(registry, name, platforms);
}

function parsePlatform(text: string): Platform {
  const [os, architecture, variant, ...more] = text.split("/");
  if (!os || !architecture || variant === "" || more.length > 0)
    throw new UsageError(`--platform ${JSON.stringify(text)}: must be os/architecture, such as "linux/arm64"`);
  return { os, architecture, ...(variant ? { variant } : {}) };
}
