/** Needed in bundled programs that read kubeconfigs with `exec` or an `auth-provider`: `import "kubewright/exec"`. */
import "@kubewright/client/exec";
