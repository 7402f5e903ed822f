import type { ErrorCode } from "@caret/protocol";
import { didYouMean } from "../models/did-you-mean.ts";

/** The parts of an error; the catalogue supplies what is omitted. */
export interface FailureResponse {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fix?: string;
  readonly retryable?: boolean;
}

/** What a rule may consider in addition to the words it matched. */
export interface FailureSetting {
  /** `agent` or `cursor-agent`: what a person would type. */
  readonly commandName: string;
  readonly platform: NodeJS.Platform;
  /** The user configured the program: Cursor's updates do not reach it. */
  readonly isOwn?: boolean;
}

interface Finding extends FailureSetting {
  readonly match: RegExpExecArray;
}

export interface FailureRule {
  readonly pattern: RegExp;
  /** Undefined if the words turn out to mean something else. */
  readonly respond: (finding: Finding) => FailureResponse | undefined;
}

const MAX_LISTED_MODELS = 12;

/** Codes of Cursor's server for errors that a retry cannot fix. */
const permanentCodes: ReadonlySet<string> = new Set([
  "invalid_argument",
  "not_found",
  "already_exists",
  "permission_denied",
  "failed_precondition",
  "out_of_range",
  "unimplemented",
  "data_loss",
]);

/**
 * The last error with a code in brackets, if that code is permanent. The code decides, not the class before it: on this path Cursor calls
 * every error `RetriableError`, even after it has itself retried three times without success.
 */
const permanentRefusal: FailureRule = {
  pattern: /^[\s\S]*\b(?:\w*Error|T): *\[([a-z_]+)\]([^\n]*)/i,
  respond: ({ match: [, code = "", words = ""] }) =>
    permanentCodes.has(code.toLowerCase())
      ? {
          code: "upstream-error",
          message: `Cursor refused the turn (${code.toLowerCase()})${words.trim() === "" ? "" : `: ${words.trim()}`}`,
        }
      : undefined,
};

/** The first rule that matches decides, so more specific ones come first. */
export const failureRules: readonly FailureRule[] = [
  says(/provided API key is invalid|\bBAD_(?:USER_)?API_KEY\b|invalid api key/i, {
    code: "bad-key",
    message: "Cursor does not accept the API key",
  }),
  {
    pattern: /keychain|SecItemCopyMatching|errSec[A-Z]/i,
    respond: ({ commandName }) => ({
      code: "not-logged-in",
      message: "The agent could not read its login from the keychain",
      fix: `Unlock the keychain, or set AGENT_CLI_CREDENTIAL_STORE=file and run \`${commandName} login\` again.`,
    }),
  },
  {
    pattern:
      /Authentication required|[Nn]ot logged in\b|\[unauthenticated\]|\b(?:NOT_LOGGED_IN|AGENT_REQUIRES_LOGIN|UNAUTHORIZED|INVALID_AUTH_ID)\b|\bAUTH_TOKEN_\w+/,
    respond: (finding) => ({ code: "not-logged-in", message: "The agent is not logged in", fix: loginFix(finding) }),
  },
  {
    pattern: /Cannot use this model: *([^ \n][^\n]*)/i,
    respond: ({ match: [, said = ""] }) => {
      const [model = "", list = ""] = said.split(/ Available models:/i);
      return unknownModel(withoutFullStop(model), toNames(list));
    },
  },
  {
    pattern: /\b(?:BAD_MODEL_NAME|MODEL_NO_LONGER_SUPPORTED|DEPRECATED_MODEL)\b/,
    respond: () => ({ code: "model-unknown", message: "Cursor does not know this model, or no longer" }),
  },
  // Must precede the rate limits, whose name this one carries: waiting does not help, another model does.
  says(/Named models unavailable|Free plans can only use Auto|\bRATE_LIMITED_CHANGEABLE\b/i, {
    code: "model-unavailable",
    message: "The account's plan does not include this model",
    fix: "Use the model `auto`, the only one on a free plan, or change your plan.",
  }),
  says(/\b(?:MODEL_BLOCKED|UNSUPPORTED_REGION|MAX_MODE_REQUIRED|PRO_USER_ONLY)\b/, {
    code: "model-unavailable",
    message: "Cursor does not offer this model to this account",
  }),
  {
    pattern:
      /hit your usage limit(?: for ([^\n]+))?|\b(?:PRO|FREE)_USER_USAGE_LIMIT\b|\bUSAGE_PRICING_REQUIRED\b|Get Cursor Pro for more|Upgrade your plan to continue/im,
    respond: ({ match }) => usageLimit(match[1]?.split(/\sYou\b|\.\s/)[0], match.input),
  },
  says(/\bRATE_LIMITED(?:_\w+)?\b|\[resource_exhausted\]|too many requests/i, {
    code: "rate-limited",
    message: "Cursor asks for fewer requests",
  }),
  {
    pattern: /\bOUTDATED_CLIENT\b/,
    respond: (finding) => ({
      code: "cli-outdated",
      message: "Cursor no longer accepts this version of the agent",
      fix: updateFix(finding),
    }),
  },
  {
    pattern: /administrator has disabled ([^\n]+)/i,
    respond: ({ match: [, what = ""] }) => ({
      code: "policy-disabled",
      message: `The team's administrator has disabled ${withoutFullStop(what)}`,
    }),
  },
  {
    pattern: /Workspace Trust Required(?:[\s\S]*?\?[ \t]*\n[ \t]*\n[ \t]*(\S[^\n]*))?/i,
    respond: ({ match: [, path] }) => untrusted(path?.trim()),
  },
  {
    pattern: /Failed to claim persistent session for chat "([^"]*)":\s*([^\n]*)/,
    respond: ({ match: [, id = "", reason = ""] }) => unclaimedChat(id, reason),
  },
  {
    pattern: /Session ID "([^"]*)" is already in use/i,
    respond: ({ match: [, id = ""] }) => ({ code: "session-busy", message: `The chat id "${id}" is already in use` }),
  },
  {
    pattern: /Chat (\S+) is still running in persistent session/i,
    respond: ({ match: [, id = ""], commandName }) => ({
      code: "session-busy",
      message: `The chat ${id} is still running in a persistent session`,
      fix: `Stop it there: \`${commandName} persist list\` shows it.`,
    }),
  },
  says(/No previous chats? (?:found|to resume)/i, {
    code: "session-not-found",
    message: "There is no earlier chat in this workspace",
  }),
  says(/Sandbox mode is enabled but not available/i, {
    code: "sandbox-unavailable",
    message: "Cursor's sandbox is switched on and does not work on this machine",
    fix: "Set `cli.sandbox` to disabled, or unset it.",
  }),
  says(/database disk image is malformed|file is not a database|SQLITE_(?:CORRUPT|NOTADB)/i, {
    code: "session-corrupt",
    message: "The agent cannot read its own chat store",
  }),
  says(/database is locked|SQLITE_BUSY/i, {
    code: "session-busy",
    message: "Another agent has this chat open",
  }),
  // Agents that start at the same time share this file; the one that lost the race succeeds on a retry.
  says(/cli-config\.json\.tmp/, {
    code: "agent-unavailable",
    message: "Two agents wrote their configuration at the same moment",
    fix: "Try again; a CURSOR_CONFIG_DIR of its own for each agent avoids it.",
    retryable: true,
  }),
  says(/\bE2BIG\b|Argument list too long|command line is too long|filename or extension is too long/i, {
    code: "prompt-too-long",
    message: "The prompt is too long for a command line",
  }),
  permanentRefusal,
  {
    pattern: /option '([^']+)' argument '([^']*)' is invalid/i,
    respond: ({ match: [, option = "", value = ""] }) => ({
      code: "invalid-config",
      message: `The agent does not take ${JSON.stringify(value)} for its option ${option}`,
    }),
  },
  {
    pattern: /unknown option '?([^'\s]+)'?/i,
    respond: (finding) => unknownOption(finding.match[1] ?? "", finding),
  },
  {
    pattern:
      /command not found|is not recognized as an internal or external command|exec format error|cannot execute binary file|Cannot find module/i,
    respond: ({ commandName }) => ({
      code: "cli-broken",
      message: `\`${commandName}\`, or a program that it needs, does not run`,
    }),
  },
  says(/\bENOSPC\b|no space left on device/i, { code: "storage-full", message: "The disk is full" }),
  says(/\b(?:EMFILE|ENFILE|ENOMEM)\b|heap out of memory|cannot fork|\bfork: .{0,100}temporarily unavailable/i, {
    code: "agent-unavailable",
    message: "The machine ran out of processes, files or memory",
  }),
];

/** Words also printed on the way to success, or with little meaning: they explain a failure only if nothing else does. */
export const lastRules: readonly FailureRule[] = [
  {
    pattern: /\[(canceled|deadline_exceeded|unavailable|aborted)\]|RetriableError|http\/2 stream closed/i,
    respond: ({ match: [, code] }) => ({
      code: "upstream-unreachable",
      message: `Cursor broke the turn off${code === undefined ? "" : ` (${code.toLowerCase()})`}`,
      fix: "Try again: Cursor itself marks this failure as passing.",
    }),
  },
  {
    pattern: /(?:Connection lost, reconnecting to|Connection failed repeatedly)(?: (https?:\/\/[^\s/]+))?/i,
    respond: ({ match: [, endpoint] }) => ({
      code: "upstream-unreachable",
      message: endpoint === undefined ? "Cursor could not be reached" : `${endpoint} could not be reached`,
    }),
  },
  says(
    /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)\b|getaddrinfo|socket hang up|fetch failed|Retry attempt \d+/i,
    { code: "upstream-unreachable", message: "Cursor could not be reached" },
  ),
  says(/self[- ]signed certificate|unable to (?:get|verify) .{0,100}certificate|CERT_\w+/i, {
    code: "upstream-unreachable",
    message: "The connection to Cursor is not trusted",
    fix: "Name your proxy's certificate in NODE_EXTRA_CA_CERTS.",
  }),
  // Printed by older versions instead of the names above: the minified class name, then a sentence.
  {
    pattern: /^T: (?!\[)(.+)$/m,
    respond: ({ match: [, sentence = ""] }) => ({
      code: "model-unavailable",
      message: `Cursor refuses this model: ${sentence.trim()}`,
    }),
  },
];

function says(pattern: RegExp, response: FailureResponse): FailureRule {
  return { pattern, respond: () => response };
}

function loginFix({ commandName, platform }: FailureSetting): string {
  const fix = `Run \`${commandName} login\`, or set CURSOR_API_KEY to a valid key.`;
  // On macOS the login is in the keychain, which belongs to the person's home directory, not the one we set.
  const keychain = " With another HOME than your own, set AGENT_CLI_CREDENTIAL_STORE=file first.";
  return platform === "darwin" ? fix + keychain : fix;
}

function withoutFullStop(words: string): string {
  return words.trim().replace(/\.$/, "");
}

function toNames(list: string): readonly string[] {
  return list.split(/[,\s]+/).flatMap((name) => name.replace(/\.$/, "") || []);
}

function unknownModel(model: string, names: readonly string[]): FailureResponse {
  const message = `Cursor has no model "${model}" for this account`;
  if (names.length === 0) return { code: "model-unknown", message };
  const more = names.length > MAX_LISTED_MODELS ? ` and ${names.length - MAX_LISTED_MODELS} more` : "";
  const fix = `${didYouMean(model, names)}Available: ${names.slice(0, MAX_LISTED_MODELS).join(", ")}${more}.`;
  return { code: "model-unknown", message, fix };
}

/** Upstream's date is in American order; ISO order is unambiguous. */
function usageLimit(model: string | undefined, words: string): FailureResponse {
  const [, month = "", day = "", year] = /\b(?:ends|resets?) on (\d{1,2})\/(\d{1,2})\/(\d{4})/i.exec(words) ?? [];
  const until = year === undefined ? "" : ` (${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")})`;
  return {
    code: "usage-limit",
    message: `The account's usage limit${model === undefined ? "" : ` for ${withoutFullStop(model)}`} is reached`,
    fix: `Switch to another model, raise the spend limit, or wait for the reset${until}.`,
  };
}

function untrusted(path: string | undefined): FailureResponse {
  if (path === undefined) return { code: "workspace-untrusted", message: "The workspace is not trusted yet" };
  return {
    code: "workspace-untrusted",
    message: `The workspace ${path} is not trusted yet`,
    fix: `Add ${path} to Caret's allowed workspaces.`,
  };
}

function unclaimedChat(id: string, reason: string): FailureResponse {
  if (/already|in use|another|held|locked/i.test(reason))
    return { code: "session-busy", message: `Another agent has the chat "${id}" open` };
  const malformed = /UUID/i.test(reason);
  return {
    code: "session-not-found",
    message: malformed ? `"${id}" is not the id of a chat` : `The chat "${id}" cannot be resumed`,
  };
}

function updateFix({ commandName, isOwn = false }: FailureSetting): string {
  return isOwn ? `Update \`${commandName}\`, the program that you have set.` : `Run \`${commandName} update\`.`;
}

function unknownOption(option: string, setting: FailureSetting): FailureResponse {
  const { commandName, platform } = setting;
  const message = `This version of \`${commandName}\` does not know the option ${option}`;
  const fix = updateFix(setting);
  // The Windows launcher splits its arguments again, so a word of the prompt can become an option.
  const windows = " If the option is a word of the prompt, send the prompt on standard input.";
  return { code: "cli-outdated", message, fix: platform === "win32" ? fix + windows : fix };
}
