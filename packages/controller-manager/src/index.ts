export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
export { type ControllersOptions, type RunningControllers, startControllers } from "./controllers.ts";
export type { AddressPool } from "./node/address-pool.ts";
export type {
  ContainerContext,
  ImageRegistry,
  ImageRunner,
  RunningContainer,
} from "./node/image-registry.ts";
export type { ContainerOutput, OutputStream } from "./node/log/container-log.ts";
export type { NodeAgent, NodeAgentOptions } from "./node/node-agent.ts";
export type { NodeObjectOptions } from "./node/node-object.ts";
export type { PodSources, SourceData, TokenWish } from "./node/pod-sources.ts";
export type { Probe, ProbeResult } from "./node/probe.ts";
export { type ProcessImageOptions, processImage, stockNodeImage } from "./node/process/process-image.ts";
export type { PodVolumes, VolumeFile, VolumeFiles } from "./node/process/volume-files.ts";
export type { ServiceAccountTokenIssuer, SigningAuthority } from "./parts/controller-parts.ts";
