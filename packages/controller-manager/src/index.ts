export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
export { type ControllersOptions, type RunningControllers, startControllers } from "./controllers.ts";
export { type AddressPool, loopbackAddresses } from "./node/address-pool.ts";
export {
  type ContainerContext,
  type ImageRegistry,
  type ImageRunner,
  imageName,
  type RunningContainer,
} from "./node/image-registry.ts";
export type { NodeAgent } from "./node/node-agent.ts";
