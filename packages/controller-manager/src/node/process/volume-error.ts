/** A volume is not available, so the pod's containers wait. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}
