/** Imported first, for its effect: on too old a Node everything else would fail in words that say nothing. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`kubewright needs Node.js 22.19 or newer; this is ${process.versions.node}`);
  process.exit(1);
}
