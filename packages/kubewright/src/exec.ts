/** For programs that are bundled and read kubeconfigs with `exec` or an `auth-provider`: `import "kubewright/exec"`. */
import "@kubewright/client/exec";
