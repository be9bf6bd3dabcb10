// Without the fonts that VitePress brings: a page asks for nothing that is not in the package.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
