/**
 * What programs are put on where nobody chose anything else: Node.js 24 without a shell or a package manager, as user 65532, for each platform
 * that it has. By digest, so that an image is the same tomorrow; a later scaffold may have a later one.
 */
export const defaultBase =
  "gcr.io/distroless/nodejs24-debian13:nonroot@sha256:fbbdda866ea71aef98c4abece17e3d61fbf820cc2ef3961522caa2478716171a";
