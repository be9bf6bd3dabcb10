/** Checks the version of Node.js. Imported before all other modules, which would fail with misleading errors on an old version. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`kubewright needs Node.js 22.19 or newer; this is ${process.versions.node}`);
  process.exit(1);
}
