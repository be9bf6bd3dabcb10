/**
 * Default base image for several platforms: Node.js 24 without a shell or package manager, run as user 65532. The digest keeps images
 * reproducible. Later scaffolds may contain a newer digest.
 */
export const defaultBase =
  "gcr.io/distroless/nodejs24-debian13:nonroot@sha256:fbbdda866ea71aef98c4abece17e3d61fbf820cc2ef3961522caa2478716171a";
