export { objectIdentifier, sequence, tagged } from "../der.ts";
export {
  clientAuth,
  commonName,
  type NamePart,
  organization,
  serverAuth,
  type TestCertificate,
  type TestCertificateOptions,
  testCertificate,
} from "./test-certificate.ts";
