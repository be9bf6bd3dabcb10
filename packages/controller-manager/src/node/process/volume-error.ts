/** Error for a volume that is not available; the pod's containers wait for it. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}
