/** Result of a check: what it found, why it matters, and what to type. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string;
  /** Applies the fix. Only for fixes that lose nothing and need nobody's consent: `caret doctor --fix` calls it. */
  readonly mend?: () => void;
}

/** By check name or, for a client's check, by its last word. */
const reasons: Readonly<Record<string, string>> = {
  node: "Older ones lack the SQLite and the type stripping that Caret runs on.",
  configuration: "With settings that are wrong no command starts.",
  prices: "What turns cost, and budgets in dollars, are reckoned with these rows.",
  rules: "A rule that is not enforced protects nothing.",
  webhook: "You are not told, away from the page, that something waits for you.",
  "data directory": "Sessions, tokens and logins are kept there.",
  "private files": "Who reads them can run turns in your name.",
  disk: "Turns fail when the log cannot be written.",
  "event log": "Without it no turn starts, and no session can be read.",
  "agent CLI": "It is what turns of the cli and acp lanes run.",
  login: "Without it every turn fails before it begins.",
  credentials: "The first credential that is found is the one that is used, also when a later one would work.",
  "kept models": "Names of models are looked up in it before a turn starts.",
  "default model": "Requests that name no model ask for it.",
  simulator: "It answers where there is no agent, and runs the examples.",
  lane: "It decides who answers a turn.",
  containment: "Without it a process of an agent can outlive its turn.",
  sandbox: "Without it a turn's processes see the whole machine.",
  gateway: "Clients and the page talk to it.",
  workspaces: "Turns work only in directories that are allowed.",
  receipts: "Without them what `caret install` wrote cannot be taken back.",
  provider: "The client has nothing that leads to Caret.",
  program: "The client starts Caret by this path, and nothing is there.",
  secret: "Who reads it can run turns in your name.",
  token: "The gateway refuses every request of the client.",
  settings: "The client cannot start a turn with a file it cannot read.",
  address: "The client asks an address where nothing answers, or another program does.",
  models: "Asking for a model that is gone fails before the turn begins.",
  variants: "A variant without its model runs another one than it says.",
  default: "The client starts with a model that it does not know.",
  drift: "What Caret does not understand is kept, but not shown as what it is.",
};

/** Why the check's subject matters; undefined if the check says so itself. */
export function whyItMatters({ check, state }: Finding): string | undefined {
  if (state === "ok") return undefined;
  return reasons[check] ?? reasons[check.slice(check.lastIndexOf(" ") + 1)];
}

/** The form for programs and the page. */
export function toFindingView(finding: Finding) {
  const { mend, ...view } = finding;
  const why = whyItMatters(finding);
  return { ...view, ...(why === undefined ? {} : { why }), ...(mend === undefined ? {} : { fixable: true as const }) };
}
