/** A volume cannot be made ready, so that the pod's containers wait. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}
