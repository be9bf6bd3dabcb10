/** Error for a volume that is not available yet. The pod's containers do not start until the volume is available. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}
