// Old syntax on purpose: this file has to run on any Node, so that an old one ends with one clear line.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Node ${process.versions.node} is too old: 22.19 or newer is needed. ` +
      "Run npm ci without --omit=optional (it brings Node 24 on Linux and Windows), or install a newer Node.",
  );
  process.exit(2);
}
