export {
  clientAuth,
  commonName,
  organization,
  serverAuth,
  type TestCertificate,
  type TestCertificateOptions,
  testCertificate,
} from "./test-certificate.ts";
