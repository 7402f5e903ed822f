/** Variables that change what a program says, not which program it is or what it does. */
const HARMLESS =
  /^(NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|COLUMNS|LANG|LC_\w+|TZ|TERM|RUST_BACKTRACE|RUST_LOG|LOG_LEVEL)$/;
/**
 * Names that loops give to their variables. A variable of the environment that a loop sets is changed for the commands in
 * it: those in use have capitals (`PATH`, `HOME`) or underscores (`npm_config_…`, `https_proxy`), except some of zsh's.
 */
const OWN = /^([a-z][a-z0-9]*|[A-Z])$/;
const OF_ZSH =
  /path$|^(argv|status|pipestatus|prompt|watch|options|aliases|functions|commands|builtins|psvar|histchars)$/;

/** Whether programs do the same with any value of it. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

/** Whether a loop may use the name, and a line take its value away: no program looks at such a variable. */
export function isOwnVariable(name: string): boolean {
  return OWN.test(name) && !OF_ZSH.test(name);
}
