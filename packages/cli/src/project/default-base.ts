/**
 * Default base image: Node.js 24 without shell and package manager, run as user 65532, for several platforms. A digest keeps images
 * reproducible; later scaffolds may contain a newer one.
 */
export const defaultBase =
  "gcr.io/distroless/nodejs24-debian13:nonroot@sha256:fbbdda866ea71aef98c4abece17e3d61fbf820cc2ef3961522caa2478716171a";
