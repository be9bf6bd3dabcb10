/** Thrown if a volume is not available yet. The pod's containers do not start until it is. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}
