/**
 * Default multi-platform base image: Node.js 24 without a shell or package manager, running as user 65532. The digest
 * makes images reproducible. Later scaffolds may contain a newer digest.
 */
export const defaultBase =
  "gcr.io/distroless/nodejs24-debian13:nonroot@sha256:fbbdda866ea71aef98c4abece17e3d61fbf820cc2ef3961522caa2478716171a";

/**
 * Multi-platform image with Node.js and npm, in which the scaffold's Dockerfile installs packages. Nothing from this
 * image is part of the final image.
 */
export const installBase = "node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6";
