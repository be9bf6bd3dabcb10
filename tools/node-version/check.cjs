// Written in old syntax so that every version of Node can run it and print the message.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Node ${process.versions.node} is too old; 22.19 or newer is required. ` +
      "Run npm ci without --omit=optional (which installs Node 24 on Linux and Windows), or install a newer Node.",
  );
  process.exit(2);
}
