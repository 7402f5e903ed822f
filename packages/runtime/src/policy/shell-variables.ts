/** Variables that change a program's output, but not which program it is or what it does. */
const HARMLESS =
  /^(NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|COLUMNS|LANG|LC_\w+|TZ|TERM|RUST_BACKTRACE|RUST_LOG|LOG_LEVEL)$/;
/**
 * Names typical of loop variables. Setting an environment variable in a loop affects its commands; those in use have capitals (`PATH`,
 * `HOME`) or underscores (`npm_config_…`, `https_proxy`), except some of zsh's.
 */
const OWN = /^([a-z][a-z0-9]*|[A-Z])$/;
const OF_ZSH =
  /path$|^(argv|status|pipestatus|prompt|watch|options|aliases|functions|commands|builtins|psvar|histchars)$/;

/** Whether programs behave the same with any value of it. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

/** Whether a loop can use the name and a line can unset it: no program reads such a variable. */
export function isOwnVariable(name: string): boolean {
  return OWN.test(name) && !OF_ZSH.test(name);
}
